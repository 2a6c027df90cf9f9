// Arabic: the points of a round and the end of a game.

export default {
  "scores.round": "الجولة", "scores.roundNumber": "الجولة {round}", "scores.taken": "{tricks} من {call}",
  "scores.multiplier": "تُحسب × {multiplier}", "scores.points": "النقاط", "scores.revoke": "مخالفة اللون",
  "scores.total": "المجموع",
  "reason.bid": "طلب", "reason.estimate": "تقدير", "reason.made": "أصاب العدد", "reason.tricks": "اللمات",
  "reason.call": "العدد المطلوب", "reason.difference": "الفرق", "reason.round": "الجولة", "reason.hand_size": "عدد أوراق اليد",
  "reason.larger_of_call_and_tricks": "الأكبر من المطلوب والمأخوذ", "reason.bidder": "صاحب الطلب", "reason.with": "ويذ",
  "reason.risk": "ريسك", "reason.double_risk": "ريسك مزدوج", "reason.dash": "داش", "reason.dash_call": "داش كول",
  "reason.blind_dash": "داش أعمى", "reason.under": "تحت ١٣", "reason.high_call": "طلب عالٍ",
  "reason.only_winner": "الفائز الوحيد", "reason.only_loser": "الخاسر الوحيد", "reason.kabooot": "كبوت",
  "reason.kabooot_by_other": "كبوت لاعب آخر", "reason.multiplier": "المضاعفة", "reason.no_winner": "لا فائز",
  "reason.folded": "مطوية",
  "sheet.player": "اللاعب", "sheet.call": "الطلب", "sheet.took": "أخذ", "sheet.continue": "أكمل", "sheet.show": "اعرض",
  "sheet.showRound": "اعرض الجولة", "sheet.over": "زيادة {count}", "sheet.under": "ناقص {count}",
  "sheet.folded": "لم يطلب أحد، فلا تُلعب الجولة.", "sheet.next": "التالي: {who} يوزع.", "sheet.nextYou": "التالي: أنت توزع.",
  "sheet.nextCards": "عدد الورق في كل يد: {count}.", "sheet.nextTimes": "الجولة القادمة تُحسب × {times}.",
  "sheet.nextEnd": "كانت هذه آخر جولة.",
  "podium.youWon": "فزت!", "podium.won": "فاز {who}", "podium.shared": "المركز الأول مشترك: {who}", "podium.best": "أفضل طلب لك",
  "podium.worst": "أسوأ طلب لك", "podium.call": "الجولة {round}: طلبت {call} وأخذت {tricks}", "podium.again": "مرة أخرى",
  "podium.replay": "الإعادة", "podium.invited": "يريد {who} اللعب مرة أخرى، وينتظر عند الطاولة التالية.",
};
