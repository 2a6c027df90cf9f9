/** English: what is said aloud at the table, and the keys that ask for it. */
export default {
  "ears.says": "{who}: {what}", "ears.takes": "{cards}. {who} takes the trick.", "ears.takesYou": "{cards}. You take the trick.",
  "ears.cards": "{cards}.", "ears.result": "Round {round}: {points}.", "ears.resultSeat": "{who} {points}, total {total}",
  "ears.hand": "Your cards. {suits}.", "ears.suit": "{suit}: {ranks}", "ears.noHand": "You have no cards.",
  "ears.playable": "You may play: {cards}.", "ears.notYourTurn": "It is not your turn to play a card.",
  "ears.trick": "On the table: {cards}.", "ears.noTrick": "No card lies on the table.",
  "ears.lastTrick": "The last trick: {cards}. {who} took it.", "ears.noLastTrick": "There was no trick yet.",
  "ears.scores": "Scores: {points}.", "ears.seat": "{who} {points}", "ears.round": "Round {number} of {of}.",
  "ears.times": "It counts × {times}.", "ears.trump": "Trump: {trump}.", "ears.noTrumpYet": "Trump is not known yet.",
  "ears.dealer": "{who} dealt.", "ears.calls": "{calls}.", "ears.call": "{who} said {call}",
  "ears.callTaken": "{who} said {call}, has {taken}", "ears.noCalls": "Nobody has said anything.", "ears.turn": "{who} is to act.",
  "ears.yourTurn": "It is your turn.", "ears.nobody": "Nobody is to act.", "ears.left": "{count} seconds left.",
  "keys.title": "Keys", "keys.about": "Each key says something about the table. The buttons do the same.",
  "keys.on": "Letters ask about the table", "keys.hand": "Your cards", "keys.playable": "The cards that you may play",
  "keys.trick": "The trick", "keys.lastTrick": "The last trick", "keys.calls": "Who said what, and has taken what",
  "keys.scores": "Scores", "keys.round": "Round and trump", "keys.turn": "Whose turn it is", "keys.now": "Show all that is waiting",
  "keys.list": "This list", "keys.announcer": "Announcements",
};
