/** Arabic: what is around every page. */
export default {
  "shell.table": "طاولتك",
  "shell.home": "إستيميشن", "shell.lobby": "الطاولات", "shell.calculator": "حاسبة النقاط", "shell.check": "تحقق من لعبة",
  "share.copy": "انسخ", "share.link": "الرابط", "share.copied": "نُسخ.",
  "shell.people": "الناس", "shell.desk": "المكتب",
  "shell.pages": "الصفحات", "shell.signIn": "تسجيل الدخول", "shell.skip": "إلى المحتوى", "shell.api": "توثيق الواجهة البرمجية",
  "shell.offline": "لا توجد شبكة. تتابع الصفحة عند عودتها.", "shell.insecure": "بدون https لا يتيح المتصفح التثبيت ولا الإشعارات.",
  "shell.missing": "هذه الصفحة غير موجودة.", "shell.pageFailed": "تعذر تحميل الصفحة. تأكد من الشبكة وحاول مرة أخرى.",
  "shell.noAnswer": "لم يرد الخادم. تأكد من الشبكة وحاول مرة أخرى.", "shell.comma": "، ", "shell.semicolon": "؛ ",
  "status.lobby": "لم تبدأ", "status.playing": "جارية", "status.finished": "انتهت", "status.abandoned": "انتهت مبكرًا",
  "lobby.guest": "لترى الطاولات وتجلس، العب كضيف أو سجل الدخول.", "lobby.join": "اجلس",
  "lobby.seats": "{taken} من {players} مقاعد مشغولة",
  "account.guest": "العب كضيف",
  "shell.guestName": "ضيف {number}", "shell.loading": "جارٍ التحميل …", "shell.leaderboard": "لوحة الصدارة", "shell.rules": "القواعد",
};
