/** Arabic: the first page and one's own games. */
export default {
  "home.title": "قل كم لمة ستأخذ، ثم خذها بالضبط.",
  "home.about": "لعبة للاعبَين إلى خمسة. العب ضد الكمبيوتر أو مع الناس، وشاهد، ثم تحقق من أن الورق خُلط بعدل.",
  "home.play": "العب الآن",
  "home.rulesets": "خمس طرق للعب",
  "home.short": "ألعاب قصيرة",
  "home.against": "العب ضد الكمبيوتر",
  "home.new": "افتح طاولة",
  "home.people": "العب مع الناس",
  "home.mine": "ألعابي",
  "home.yourTurn": "دورك",
  "home.learn": "تعلم اللعبة",
  "home.rules": "القواعد",
  "home.opens": "تُفتح طاولة …",
  "home.playAbout": "لا تحتاج إلى حساب. تلعب لعبة قصيرة ضد الكمبيوتر في ثلاثة مقاعد.",
  "home.turnOf": "دور {who}",
  "home.first": "أول مرة؟ لعبة أولى تشرح كل شيء في خمس دقائق.",
};
