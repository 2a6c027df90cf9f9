/** English: notices while the app is closed. */
export default {
  "told.title": "While the app is closed", "told.about": "Choose what you are told of.",
  "told.never": "This server sends nothing to browsers. Apps on phones may still tell you.",
  "told.push": "Tell me in this browser", "told.pushAbout": "Also when no page of this site is open.",
  "told.pushNever": "This browser offers that only over https, and on phones often only to installed apps.",
  "told.refused": "This browser refuses notifications of this site. Allow them in its settings.",
  "told.your_turn": "It is your turn", "told.your_turn.body": "The table waits for you.",
  "told.turn_ending": "Your turn is about to run out", "told.turn_ending.body": "A bot plays for you if you do not come.",
  "told.game_started": "A game has started", "told.game_started.body": "You have a seat in it.",
  "told.game_finished": "A game is over", "told.game_finished.body": "See how it ended.",
  "told.invited": "You are invited to a rematch", "told.invited.body": "The others play again.",
  "told.account_changed": "Your account was changed", "told.account_changed.body": "Another device changed how it is signed in to.",
  "told.many": "Your games wait", "told.many.body": "Several things happened at your tables.",
  "told.quiet": "Hours without notices", "told.zone": "By the clock of {zone}.", "told.from": "From", "told.to": "Until",
  "told.offer": "Turns are long at this table. Shall this browser tell you when it is yours, also while the app is closed?",
  "told.accept": "Tell me", "told.decline": "No",
};
