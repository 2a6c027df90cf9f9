/** Arabic: signing in, the account and the settings. */
export default {
  "account.guestButton": "تابع كضيف", "account.register": "أنشئ حسابًا", "account.username": "اسم المستخدم",
  "account.password": "كلمة السر", "account.new_password": "كلمة السر (٨ أحرف على الأقل)",
  "account.display_name": "الاسم الذي يراه الآخرون", "account.done": "تم.", "account.rename": "الاسم", "account.save": "احفظ",
  "account.keep": "احتفظ بهذا الحساب: اختر اسم مستخدم وكلمة سر",
  "account.nameProblem": "اختر اسمًا آخر من فضلك. يرى الآخرون اسمك بدون بعض أحرفه.", "account.session": "هذا المتصفح",
  "account.outAbout": "تسجيل الخروج يمحو الجلسة من هذا المتصفح.",
  "account.guestOut": "تسجيل الخروج يمحو الجلسة من هذا المتصفح. لا يستطيع الضيف الدخول مرة أخرى.", "account.signOut": "تسجيل الخروج",
  "account.export": "نزّل بياناتي", "account.delete": "احذف الحساب",
  "account.deleteAbout": "يُحذف اسمك وبياناتك. تبقى الألعاب بدون اسمك.", "account.title": "حسابك", "account.profile": "صفحتك",
  "settings.title": "الإعدادات", "settings.speed": "سرعة الطاولة", "settings.speed.slow": "بطيئة", "settings.speed.normal": "عادية",
  "settings.speed.fast": "سريعة", "settings.suits": "ألوان الورق", "settings.suits.four": "أربعة", "settings.suits.two": "اثنان",
  "settings.language": "اللغة", "settings.sound": "الصوت", "settings.soundAbout": "أصوات قصيرة هادئة: ورقة، لمة، دورك.",
  "settings.notify": "نبّهني عندما يأتي دوري", "settings.notifyAbout": "فقط عندما تكون هذه الصفحة مفتوحة وأنت في صفحة أخرى.",
  "settings.notifyDenied": "هذا المتصفح يرفض تنبيهات هذا الموقع. اسمح بها في إعداداته.",
  "settings.notifyNever": "هذا المتصفح لا يتيح التنبيهات هنا، فهي تحتاج إلى https.", "settings.close": "تم",
};
