/** English: the ways into an account besides the password. */
export default {
  "ways.entrance": "Without a password", "ways.with": "Continue with {issuer}", "ways.title": "Ways into your account",
  "ways.since": "since {at}", "ways.remove": "Remove", "ways.link": "Add {issuer}", "ways.others": "Changed on other devices",
  "ways.othersAbout": "If you did not do this, end all sessions with a recovery code.",
  "ways.credentials_set": "Username and password chosen", "ways.recovery_codes_made": "New recovery codes",
  "ways.identity_linked": "Issuer added", "ways.identity_removed": "Issuer removed",
};
