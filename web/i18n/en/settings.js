// English: the settings.

export default {
  "settings.title": "Settings",
  "settings.speed": "Pace of the table",
  "settings.speed.slow": "Slow",
  "settings.speed.normal": "Normal",
  "settings.speed.fast": "Fast",
  "settings.suits": "Colours of the suits",
  "settings.suits.four": "Four",
  "settings.suits.two": "Two",
  "settings.language": "Language",
  "settings.sound": "Sound",
  "settings.soundAbout": "Short and quiet: a card, a trick, your turn.",
  "settings.notify": "Notify me when it is my turn",
  "settings.notifyAbout": "Only while this page is open and you look at another one.",
  "settings.notifyDenied": "This browser refuses notifications of this site. Allow them in its settings.",
  "settings.notifyNever": "This browser offers no notifications here. They need https.",
  "settings.close": "Done",
};
