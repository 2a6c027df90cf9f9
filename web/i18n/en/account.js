// English: signing in, the account and the settings.

export default {
  "account.guestButton": "Continue as a guest", "account.register": "Create an account", "account.username": "Username",
  "account.password": "Password", "account.new_password": "Password (at least 8 characters)",
  "account.display_name": "Name that others see", "account.done": "Done.", "account.rename": "Name", "account.save": "Save",
  "account.keep": "Keep this account: choose a username and a password",
  "account.nameProblem": "Please choose another name. Others see yours without some of its characters.",
  "account.session": "This browser", "account.outAbout": "Signing out removes the session from this browser.",
  "account.guestOut": "Signing out removes the session from this browser. A guest cannot sign in again.",
  "account.signOut": "Sign out", "account.export": "Download my data", "account.delete": "Delete the account",
  "account.deleteAbout": "Your name and your data are removed. Games stay, without your name.", "account.title": "Your account",
  "account.profile": "Your profile",
  "settings.title": "Settings", "settings.speed": "Pace of the table", "settings.speed.slow": "Slow",
  "settings.speed.normal": "Normal", "settings.speed.fast": "Fast", "settings.suits": "Colours of the suits",
  "settings.suits.four": "Four", "settings.suits.two": "Two", "settings.language": "Language", "settings.sound": "Sound",
  "settings.soundAbout": "Short and quiet: a card, a trick, your turn.", "settings.notify": "Notify me when it is my turn",
  "settings.notifyAbout": "Only while this page is open and you look at another one.",
  "settings.notifyDenied": "This browser refuses notifications of this site. Allow them in its settings.",
  "settings.notifyNever": "This browser offers no notifications here. They need https.", "settings.close": "Done",
};
