// Arabic: the lobby, new tables and their options.

export default {
  "lobby.title": "الطاولات", "lobby.open": "طاولات فيها مقاعد خالية", "lobby.none": "لا توجد. افتح طاولة أو انضم إلى الانتظار.",
  "lobby.watch": "ألعاب للمشاهدة",
  "queue.title": "العب مع آخرين", "queue.enter": "انضم إلى الانتظار", "queue.leave": "اترك الانتظار",
  "queue.waiting": "في الانتظار: {taken} من {players} لاعبين.",
  "queue.bots": "بعد {seconds} ثانية يأخذ الكمبيوتر المقاعد الخالية.",
  "new.title": "افتح طاولة", "new.ruleset": "القواعد", "new.players": "اللاعبون", "new.clock": "وقت الدور",
  "new.clock.0": "بلا حد", "new.clock.15": "١٥ ثانية", "new.clock.30": "٣٠ ثانية", "new.clock.60": "دقيقة",
  "new.clock.300": "٥ دقائق", "new.clock.86400": "يوم", "new.private": "خاصة",
  "new.privateAbout": "لا ينضم إلا من معه الدعوة، ولا يرى اللعبة إلا لاعبوها.", "new.spectators": "المشاهدون",
  "new.spectatorsAbout": "يمكن للآخرين مشاهدة اللعبة العامة.", "new.options": "خيارات القواعد", "new.open": "افتح الطاولة",
  "option.true": "نعم", "option.false": "لا", "option.ascending": "كل طلب يعلو على ما قبله",
  "option.single_call": "كل لاعب يطلب مرة", "option.clockwise": "مع عقارب الساعة", "option.counterclockwise": "عكس عقارب الساعة",
  "option.add": "٢، ٣، ٤ …", "option.double": "٢، ٤، ٨ …", "option.flat": "٢ دائمًا", "option.before_auction": "قبل المزاد",
  "option.in_auction": "في المزاد", "option.dealers_right": "من على يمين الموزع", "option.declarer": "صاحب الطلب",
  "option.ceil": "إلى أعلى", "option.floor": "إلى أسفل", "option.all": "كلها", "option.none": "لا شيء",
  "option.only_bonus": "المكافأة فقط", "option.full": "كاملة", "option.mini": "صغيرة", "option.micro": "قصيرة",
  "option.1-10-1": "من ١ إلى ١٠ ثم العودة", "option.10-1-10": "من ١٠ إلى ١ ثم العودة", "option.penalise": "مسموح بعقوبة",
  "option.refuse": "ممنوع", "option.from_one": "من واحد", "option.from_two": "من اثنين", "option.as_joined": "كما جلسوا",
  "option.draw": "بالسحب", "option.fixed": "المقعد ٠ دائمًا", "option.previous_bidder": "آخر صاحب طلب",
  "option.rotate": "المقعد التالي",
};
