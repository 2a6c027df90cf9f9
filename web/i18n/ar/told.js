/** Arabic: notices while the app is closed. */
export default {
  "told.title": "حين يكون التطبيق مغلقًا", "told.about": "اختر ما نخبرك به.",
  "told.never": "لا يرسل هذا الخادم شيئًا إلى المتصفحات. قد تخبرك تطبيقات الهاتف.",
  "told.push": "أخبرني في هذا المتصفح", "told.pushAbout": "حتى لو لم تكن أي صفحة من هذا الموقع مفتوحة.",
  "told.pushNever": "لا يتيح هذا المتصفح ذلك إلا عبر https، وعلى الهواتف غالبًا للتطبيقات المثبتة فقط.",
  "told.refused": "يرفض هذا المتصفح إشعارات هذا الموقع. اسمح بها في إعداداته.",
  "told.your_turn": "إنه دورك", "told.your_turn.body": "الطاولة تنتظرك.",
  "told.turn_ending": "وقت دورك يوشك أن ينتهي", "told.turn_ending.body": "يلعب روبوت بدلًا منك إن لم تأت.",
  "told.game_started": "بدأت لعبة", "told.game_started.body": "لك مقعد فيها.",
  "told.game_finished": "انتهت لعبة", "told.game_finished.body": "انظر كيف انتهت.",
  "told.invited": "أنت مدعو إلى لعبة ثأر", "told.invited.body": "يلعب الآخرون مرة أخرى.",
  "told.account_changed": "غُيّر حسابك", "told.account_changed.body": "غيّر جهاز آخر طريقة الدخول إليه.",
  "told.many": "ألعابك تنتظرك", "told.many.body": "حدثت عدة أشياء على طاولاتك.",
  "told.quiet": "ساعات بلا إشعارات", "told.zone": "بتوقيت {zone}.", "told.from": "من", "told.to": "حتى",
  "told.offer": "الأدوار طويلة على هذه الطاولة. هل يخبرك هذا المتصفح حين يأتي دورك، حتى والتطبيق مغلق؟",
  "told.accept": "أخبرني", "told.decline": "لا",
};
