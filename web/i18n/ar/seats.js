// Arabic: seats of a table before the start.

export default {
  "seats.remove": "أبعد",
  "seats.newCode": "المقعد خالٍ. الدعوة السابقة لا تعمل بعد الآن، وهذه دعوة جديدة.",
};
