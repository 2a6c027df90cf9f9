// Arabic: the title of the tab, and notifications.

export default {
  "signal.lobby": "{game}: {taken} من {players} مقاعد مشغولة",
  "signal.begins": "تبدأ {game}",
  "signal.playing": "{game}",
  "signal.yours": "● دورك · {game}",
  "signal.other": "دور {who} · {game}",
  "signal.over": "{game}: انتهت اللعبة",
  "signal.notification": "دورك",
  "signal.call": "الطاولة في انتظارك: {game}.",
};
