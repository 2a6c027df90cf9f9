/** Arabic: the ways into an account besides the password. */
export default {
  "ways.entrance": "بدون كلمة سر", "ways.with": "تابع مع {issuer}", "ways.title": "الطرق إلى حسابك",
  "ways.since": "منذ {at}", "ways.remove": "أزل", "ways.link": "أضف {issuer}", "ways.others": "غُيّر في جلسات أخرى",
  "ways.othersAbout": "إن لم تفعل ذلك، فأنهِ كل الجلسات برمز استرداد.",
  "ways.credentials_set": "اختير اسم مستخدم وكلمة سر", "ways.recovery_codes_made": "رموز استرداد جديدة",
  "ways.password_changed": "غُيّرت كلمة السر", "ways.recovered": "دخول برمز استرداد أو رابط",
  "ways.email_set": "بريد إلكتروني آخر", "ways.email_removed": "أُزيل البريد الإلكتروني",
  "email.title": "البريد الإلكتروني", "email.about": "بعنوان تعود حتى لو فقدت كل شيء آخر. لا يراه أحد.",
  "email.present": "عنوانك {address}.", "email.address": "البريد الإلكتروني", "email.send": "أرسل رابطًا",
  "email.sent": "افتح الرابط في الرسالة خلال 30 دقيقة.", "email.back": "عد بالبريد",
  "email.backAbout": "إن كان لحساب هذا العنوان، نرسل إليه رابطًا.",
  "email.backSent": "إن كان لحساب هذا العنوان، فالرسالة في الطريق. يعمل رابطها 30 دقيقة.",
  "email.verified": "تأكد هذا العنوان.", "email.on": "إلى الحساب",
  "email.resetAbout": "يمكنك اختيار كلمة سر جديدة. تخرج كل الأجهزة الأخرى.",
  "ways.identity_linked": "أُضيفت جهة هوية", "ways.identity_removed": "أُزيلت جهة هوية",
};
