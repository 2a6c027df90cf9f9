// Arabic: why a card or a call is not allowed now.

export default {
  "why.game-not-playing": "هذه اللعبة ليست جارية.", "why.not-seated": "لست جالسًا على هذه الطاولة.",
  "why.not-stood-in": "لا يلعب الكمبيوتر بدلًا منك.", "why.not-your-turn": "ليس دورك الآن.",
  "why.wrong-phase.choosing_seats": "تُختار المقاعد أولًا.", "why.wrong-phase.cutting": "يُقطع الورق أولًا.",
  "why.wrong-phase.void_check": "أولًا يقول من ينقصه لون هل يحتفظ بورقه.",
  "why.wrong-phase.blind_dash": "أولًا يقول كل لاعب هل يدخل المزاد.", "why.wrong-phase.auction": "المزاد أولًا: اطلب أو قل باص.",
  "why.wrong-phase.estimates": "أولًا يقول كل لاعب كم لمة سيأخذ.", "why.wrong-phase.play": "انتهى الكلام، والآن دور الورق.",
  "why.wrong-phase": "ليس هذا وقته.", "why.seat-taken": "هذا المقعد مشغول.",
  "why.no-such-seat": "لا يوجد هذا المقعد على الطاولة.",
  "why.cut-out-of-range": "يجب أن تبقى ورقة على الأقل في كل ناحية من القطع.",
  "why.dash-limit": "سبقك إلى ذلك {limit}، وهذا هو الحد في الجولة.",
  "why.dash-call-not-now": "الداش كول لا يقال إلا في أول كلامك في الجولة.",
  "why.thirteen-unavoidable": "بعد ذلك لا يكون المجموع إلا ١٣، وهذا ممنوع.", "why.no-passing": "لا باص هنا. اطلب، أو قل داش كول.",
  "why.bid-out-of-range": "الطلب عدد من {min} إلى {max}.",
  "why.bid-too-low": "يجب أن يعلو طلبك على {tricks} {trump}: عدد أكبر أو لون أعلى.",
  "why.no-trump-barred": "على هذه الطاولة لا يطلب أحد بلا حكم.", "why.estimate-out-of-range": "قل عددًا من {min} إلى {max}.",
  "why.zero-limit": "قال {limit} صفرًا، وهذا هو الحد في الجولة، فقل ١ على الأقل.",
  "why.total-barred": "لا يجوز أن يكون مجموع الأعداد {total}، فقل أي عدد إلا {barred}.",
  "why.trump-change-barred": "هذا العدد لا يسمي حكمًا آخر.",
  "why.trump-change-barred.over": "الحكم الآخر يجب أن يعلو على {tricks} {trump}: عدد أكبر أو لون أعلى.",
  "why.card-not-held": "هذه الورقة ليست في يدك.", "why.must-follow-suit": "يجب أن تتبع {suit}.",
};
