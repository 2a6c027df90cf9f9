// Arabic: invitations.

export default {
  "join.title": "أنت مدعو إلى طاولة",
  "join.code": "الدعوة:",
  "join.as": "اجلس باسم",
  "join.guest": "اجلس كضيف",
};
