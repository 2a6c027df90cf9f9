// Arabic: rules, words and the first game.

export default {
  "learn.close": "أغلق", "learn.see": "انظر أيضًا", "learn.rules": "القواعد",
  "learn.rulesAbout": "خمس طرق للعب، كما يشرحها الناس على الطاولة. في كل منها تقول كم لمة ستأخذ، ثم تحاول أن تأخذ هذا العدد بالضبط.",
  "learn.words": "كلمات اللعبة", "learn.options": "ما تختاره الطاولة", "learn.read": "اقرأ القواعد",
  "learn.first": "أول لعبة تعلّمك",
  "learn.firstAbout": "لعبة قصيرة تُشرح لك وأنت تلعب. لا تحتاج إلى حساب، ولك أن تتركها متى شئت.",
  "learn.start": "تعلّم باللعب: {ruleset}", "learn.book": "كتاب القواعد المرقمة: {ruleset} (بالإنجليزية)",
  "learn.bookAbout": "هو الذي يحسم ما تختصره هذه الصفحة.", "learn.bookRules": "القواعد المشتركة (بالإنجليزية)",
  "learn.bookOptions": "كل الخيارات (بالإنجليزية)", "learn.play": "العب ضد الكمبيوتر", "learn.back": "كل القواعد",
  "learn.lesson": "أول لعبة: {ruleset}", "learn.next": "تابع", "learn.recall": "أعد الشرح", "learn.leave": "اترك",
  "learn.again": "من البداية", "learn.over": "العب لعبة حقيقية ضد الكمبيوتر", "learn.step": "{step} من {of}",
  "learn.missing": "لا توجد صفحة قواعد كهذه.",
};
