/** Arabic: the ways into an account besides the password. */
export default {
  "ways.entrance": "بدون كلمة سر", "ways.with": "تابع مع {issuer}", "ways.title": "الطرق إلى حسابك",
  "ways.since": "منذ {at}", "ways.remove": "أزل", "ways.link": "أضف {issuer}", "ways.others": "غُيّر على أجهزة أخرى",
  "ways.othersAbout": "إن لم تفعل ذلك، فأنهِ كل الجلسات برمز استرداد.",
  "ways.credentials_set": "اختير اسم مستخدم وكلمة سر", "ways.recovery_codes_made": "رموز استرداد جديدة",
  "ways.identity_linked": "أُضيفت جهة هوية", "ways.identity_removed": "أُزيلت جهة هوية",
};
