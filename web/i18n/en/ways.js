/** English: the ways into an account besides the password. */
export default {
  "ways.entrance": "Without a password", "ways.with": "Continue with {issuer}", "ways.title": "Ways into your account",
  "ways.since": "since {at}", "ways.remove": "Remove", "ways.link": "Add {issuer}", "ways.others": "Changed in other sessions",
  "ways.othersAbout": "If you did not do this, end all sessions with a recovery code.",
  "ways.credentials_set": "Username and password chosen", "ways.recovery_codes_made": "New recovery codes",
  "ways.password_changed": "Password changed", "ways.recovered": "Signed in with a recovery code or a link",
  "ways.email_set": "Another email address", "ways.email_removed": "Email address removed",
  "email.title": "Email address", "email.about": "With an address you come back if you lose everything else. Nobody sees it.",
  "email.present": "Your address is {address}.", "email.address": "Email address", "email.send": "Send a link",
  "email.sent": "Open the link in the mail within 30 minutes.", "email.back": "Come back by mail",
  "email.backAbout": "If an account has the address, we send it a link.",
  "email.backSent": "If an account has this address, a mail is on its way. Its link works for 30 minutes.",
  "email.verified": "This address is confirmed.", "email.on": "To the account",
  "email.resetAbout": "You can choose a new password. All other devices are signed out.",
  "ways.identity_linked": "Issuer added", "ways.identity_removed": "Issuer removed",
};
