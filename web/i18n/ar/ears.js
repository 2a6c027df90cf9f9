/** Arabic: what is said aloud at the table, and the keys that ask for it. */
export default {
  "ears.says": "{who}: {what}", "ears.takes": "{cards}. {who} يأخذ اللمة.", "ears.takesYou": "{cards}. تأخذ أنت اللمة.",
  "ears.cards": "{cards}.", "ears.result": "الجولة {round}: {points}.", "ears.resultSeat": "{who} {points}، المجموع {total}",
  "ears.hand": "ورقك. {suits}.", "ears.suit": "{suit}: {ranks}", "ears.noHand": "ليس معك ورق.",
  "ears.playable": "يمكنك أن تلعب: {cards}.", "ears.notYourTurn": "ليس دورك في لعب ورقة.", "ears.trick": "على الطاولة: {cards}.",
  "ears.noTrick": "لا ورق على الطاولة.", "ears.lastTrick": "اللمة السابقة: {cards}. أخذها {who}.",
  "ears.noLastTrick": "لم تُلعب لمة بعد.", "ears.scores": "النقاط: {points}.", "ears.seat": "{who} {points}",
  "ears.round": "الجولة {number} من {of}.", "ears.times": "تُحسب × {times}.", "ears.trump": "الحكم: {trump}.",
  "ears.noTrumpYet": "لم يُعرف الحكم بعد.", "ears.dealer": "الموزع {who}.", "ears.calls": "{calls}.", "ears.call": "{who} قال {call}",
  "ears.callTaken": "{who} قال {call} ومعه {taken}", "ears.noCalls": "لم يقل أحد شيئًا.", "ears.turn": "الدور على {who}.",
  "ears.yourTurn": "الدور عليك.", "ears.nobody": "لا ينتظر أحد دوره.", "ears.left": "باقٍ {count} ثانية.",
  "keys.title": "المفاتيح", "keys.about": "كل مفتاح يقول شيئًا عن الطاولة، والأزرار تفعل الشيء نفسه.",
  "keys.on": "الحروف تسأل عن الطاولة", "keys.hand": "ورقك", "keys.playable": "الورق الذي يمكنك لعبه", "keys.trick": "اللمة",
  "keys.lastTrick": "اللمة السابقة", "keys.calls": "من قال ماذا وكم أخذ", "keys.scores": "النقاط", "keys.round": "الجولة والحكم",
  "keys.turn": "على من الدور", "keys.now": "اعرض كل ما ينتظر", "keys.list": "هذه القائمة", "keys.announcer": "ما يُقال",
};
