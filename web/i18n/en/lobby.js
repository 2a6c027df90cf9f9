// English: the lobby, new tables and their options.

export default {
  "lobby.title": "Lobby", "lobby.open": "Tables with free seats", "lobby.none": "There is none. Open one, or join the queue.",
  "lobby.watch": "Games to watch",
  "queue.title": "Play with strangers", "queue.enter": "Join the queue", "queue.leave": "Leave the queue",
  "queue.waiting": "Waiting: {taken} of {players} players.", "queue.bots": "After {seconds} seconds, bots take the empty seats.",
  "new.title": "Open a table", "new.ruleset": "Ruleset", "new.players": "Players", "new.clock": "Time for a turn",
  "new.clock.0": "No limit", "new.clock.15": "15 seconds", "new.clock.30": "30 seconds", "new.clock.60": "1 minute",
  "new.clock.300": "5 minutes", "new.clock.86400": "1 day", "new.private": "Private",
  "new.privateAbout": "Only people with the invitation can join, and only the players can see the game.",
  "new.spectators": "Spectators", "new.spectatorsAbout": "Others may watch a public game.", "new.options": "Options of the rules",
  "new.open": "Open the table",
  "option.true": "Yes", "option.false": "No", "option.ascending": "Bids beat each other",
  "option.single_call": "Everybody calls once", "option.clockwise": "Clockwise", "option.counterclockwise": "Counterclockwise",
  "option.add": "2, 3, 4 …", "option.double": "2, 4, 8 …", "option.flat": "Always 2",
  "option.before_auction": "Before the auction", "option.in_auction": "In the auction",
  "option.dealers_right": "Player on the dealer's right", "option.declarer": "Declarer", "option.ceil": "Up",
  "option.floor": "Down", "option.all": "All", "option.none": "None", "option.only_bonus": "Only the bonus",
  "option.full": "Full", "option.mini": "Mini", "option.micro": "Micro", "option.1-10-1": "1 to 10 and back",
  "option.10-1-10": "10 to 1 and back", "option.penalise": "Allowed, with a penalty", "option.refuse": "Not allowed",
  "option.from_one": "From one", "option.from_two": "From two", "option.as_joined": "As joined", "option.draw": "Drawn",
  "option.fixed": "Always seat 0", "option.previous_bidder": "The last bidder", "option.rotate": "The next seat",
};
