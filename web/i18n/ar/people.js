/** Arabic: profiles, statistics and leaderboards. */
export default {
  "people.player": "اللاعب", "people.kind.full": "لاعب له حساب", "people.kind.guest": "ضيف", "people.kind.deleted": "حساب محذوف",
  "people.since": "هنا منذ {at}", "people.account": "حسابك", "people.statistics": "الإحصاءات",
  "people.statisticsAbout": "تُحسب الألعاب المنتهية، وكذلك التي ضد الكمبيوتر. أما التقييم فيحسب الألعاب التي بدأت وكل مقاعدها لأشخاص.",
  "people.noGames": "لم تنته أي لعبة بعد.", "people.ruleset": "القواعد", "people.games": "الألعاب", "people.wins": "الفوز",
  "people.made": "طلبات أصابت", "people.points": "النقاط في اللعبة", "people.rating": "التقييم", "people.percent": "{percent}٪",
  "people.brokenOff": "ما قُطع", "people.tables_cancelled": "طاولات أُغلقت وغيره جالس عليها",
  "people.openings_missed": "بدايات فشلت بسببه", "people.games_left": "ألعاب تركها", "people.recent": "آخر الألعاب",
  "people.noPublicGames": "لا توجد لعبة عامة.",
  "people.leaderboardAbout": "التقييم هو ما تزيد عليه قوة اللاعب شبه المؤكدة. تظهر أسماء من لعبوا {games} ألعاب محسوبة على الأقل.",
  "people.rank": "الترتيب", "people.nobody": "لم يلعب أحد بعد ما يكفي من الألعاب المحسوبة.", "people.more": "المزيد",
};
