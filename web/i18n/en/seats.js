// English: seats of a table before the start.

export default {
  "seats.remove": "Remove",
  "seats.newCode": "The seat is free. The former invitation does not work any more: here is the new one.",
};
