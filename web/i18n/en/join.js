// English: invitations.

export default {
  "join.title": "You are invited to a table",
  "join.code": "Invitation:",
  "join.as": "Take a seat as",
  "join.guest": "Take a seat as a guest",
};
