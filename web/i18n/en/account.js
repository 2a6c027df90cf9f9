// English: signing in and the account.

export default {
  "account.guestButton": "Continue as a guest",
  "account.register": "Create an account",
  "account.username": "Username",
  "account.password": "Password",
  "account.new_password": "Password (at least 8 characters)",
  "account.display_name": "Name that others see",
  "account.done": "Done.",
  "account.rename": "Name",
  "account.save": "Save",
  "account.keep": "Keep this account: choose a username and a password",
  "account.nameProblem": "Please choose another name. Others see yours without some of its characters.",
  "account.session": "This browser",
  "account.outAbout": "Signing out removes the session from this browser.",
  "account.guestOut": "Signing out removes the session from this browser. A guest cannot sign in again.",
  "account.signOut": "Sign out",
  "account.export": "Download my data",
  "account.delete": "Delete the account",
  "account.deleteAbout": "Your name and your data are removed. Games stay, without your name.",
  "account.title": "Your account",
  "account.profile": "Your profile",
};
