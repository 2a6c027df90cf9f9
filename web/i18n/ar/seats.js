/** Arabic: invitations, and seats of a table before the start. */
export default {
  "join.title": "أنت مدعو إلى طاولة", "join.code": "الدعوة:", "join.host": "المضيف:", "join.clock": "ثواني الدور: {seconds}",
  "join.full": "الطاولة مكتملة.", "join.name": "اسمك على الطاولة", "join.as": "اجلس باسم", "join.guest": "اجلس كضيف",
  "seats.remove": "أبعد", "seats.newCode": "المقعد خالٍ. الدعوة السابقة لا تعمل بعد الآن، وهذه دعوة جديدة.",
};
