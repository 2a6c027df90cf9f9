// English: the title of the tab, and notifications.

export default {
  "signal.lobby": "{game}: {taken} of {players} seats taken",
  "signal.begins": "{game} begins",
  "signal.playing": "{game}",
  "signal.yours": "● Your turn · {game}",
  "signal.other": "{who}’s turn · {game}",
  "signal.over": "{game}: the game is over",
  "signal.notification": "Your turn",
  "signal.call": "The table waits for you: {game}.",
};
