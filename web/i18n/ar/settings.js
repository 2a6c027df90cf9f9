// Arabic: the settings.

export default {
  "settings.title": "الإعدادات",
  "settings.speed": "سرعة الطاولة",
  "settings.speed.slow": "بطيئة",
  "settings.speed.normal": "عادية",
  "settings.speed.fast": "سريعة",
  "settings.suits": "ألوان الورق",
  "settings.suits.four": "أربعة",
  "settings.suits.two": "اثنان",
  "settings.language": "اللغة",
  "settings.sound": "الصوت",
  "settings.soundAbout": "أصوات قصيرة هادئة: ورقة، لمة، دورك.",
  "settings.notify": "نبّهني عندما يأتي دوري",
  "settings.notifyAbout": "فقط عندما تكون هذه الصفحة مفتوحة وأنت في صفحة أخرى.",
  "settings.notifyDenied": "هذا المتصفح يرفض تنبيهات هذا الموقع. اسمح بها في إعداداته.",
  "settings.notifyNever": "هذا المتصفح لا يتيح التنبيهات هنا، فهي تحتاج إلى https.",
  "settings.close": "تم",
};
