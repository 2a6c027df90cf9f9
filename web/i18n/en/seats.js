/** English: invitations, and seats of a table before the start. */
export default {
  "join.title": "You are invited to a table", "join.code": "Invitation:", "join.host": "Host:",
  "join.clock": "Seconds for a turn: {seconds}", "join.full": "The table is full.", "join.name": "Your name at the table",
  "join.as": "Take a seat as", "join.guest": "Take a seat as a guest",
  "seats.remove": "Remove", "seats.newCode": "The seat is free. The former invitation does not work any more: here is the new one.",
};
