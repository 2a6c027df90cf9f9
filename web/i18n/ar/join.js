// Arabic: invitations.

export default {
  "join.title": "أنت مدعو إلى طاولة",
  "join.code": "الدعوة:",
  "join.host": "المضيف:",
  "join.clock": "ثواني الدور: {seconds}",
  "join.bot": "كمبيوتر",
  "join.full": "الطاولة مكتملة.",
  "join.name": "اسمك على الطاولة",
  "join.as": "اجلس باسم",
  "join.guest": "اجلس كضيف",
};
