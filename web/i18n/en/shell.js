/** English: what is around every page. */
export default {
  "shell.table": "Your table",
  "shell.home": "Estimation", "shell.lobby": "Lobby", "shell.calculator": "Calculator", "shell.check": "Check a game",
  "share.copy": "Copy", "share.link": "Link", "share.copied": "Copied.",
  "shell.people": "People", "shell.desk": "Desk",
  "shell.pages": "Pages", "shell.signIn": "Sign in", "shell.skip": "Skip to the content", "shell.api": "API documentation",
  "shell.offline": "No network. The page continues when it is back.",
  "shell.insecure": "Without https, browsers offer no installing and no push messages.", "shell.missing": "This page does not exist.",
  "shell.pageFailed": "This page could not be loaded. Check the network and try again.",
  "shell.noAnswer": "The server did not answer. Check the network and try again.", "shell.comma": ", ", "shell.semicolon": "; ",
  "status.lobby": "Not started", "status.playing": "Playing", "status.finished": "Finished", "status.abandoned": "Ended early",
  "lobby.guest": "To see tables and take a seat, play as a guest or sign in.", "lobby.join": "Take a seat",
  "lobby.seats": "{taken} of {players} seats taken",
  "account.guest": "Play as a guest",
  "shell.guestName": "Guest {number}", "shell.loading": "Loading …", "shell.leaderboard": "Leaderboard", "shell.rules": "Rules",
};
