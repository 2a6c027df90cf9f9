// English: invitations.

export default {
  "join.title": "You are invited to a table",
  "join.code": "Invitation:",
  "join.host": "Host:",
  "join.clock": "Seconds for a turn: {seconds}",
  "join.bot": "Bot",
  "join.full": "The table is full.",
  "join.name": "Your name at the table",
  "join.as": "Take a seat as",
  "join.guest": "Take a seat as a guest",
};
