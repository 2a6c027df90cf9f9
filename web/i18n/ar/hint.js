// Arabic: hints.

export default {
  "hint.button": "تلميح",
  "hint.title": "تلميح",
  "hint.about": "يقول التلميح ما يفعله الكمبيوتر لو كان مكانك، ولا يعرف إلا ما تراه أنت. ولا تُحسب اللعبة بعده في أي إحصاء.",
  "hint.take": "خذ التلميح",
  "hint.stay": "بلا تلميح",
  "hint.play": "الكمبيوتر كان سيلعب: {card}.",
  "hint.bid": "الكمبيوتر كان سيطلب {tricks} {trump}.",
  "hint.estimate": "الكمبيوتر كان سيقول {tricks}.",
  "hint.estimate_trump": "الكمبيوتر كان سيقول {tricks} ويسمي {trump}.",
  "hint.pass": "الكمبيوتر كان سيقول باص.",
  "hint.enter_auction": "الكمبيوتر كان سيدخل المزاد.",
  "hint.avoid": "الكمبيوتر كان سيحتفظ بالورق.",
  "hint.redeal": "الكمبيوتر كان سيطلب توزيعًا جديدًا.",
  "hint.dash_call": "الكمبيوتر كان سيقول داش كول.",
  "hint.blind_dash": "الكمبيوتر كان سيقول داش أعمى.",
  "hint.cut": "الكمبيوتر كان سيقطع بعد {position} ورقة.",
  "hint.choose_seat": "الكمبيوتر كان سيأخذ المقعد {seat}.",
};
