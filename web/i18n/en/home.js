/** English: the first page and one's own games. */
export default {
  "home.title": "Say how many tricks you will take. Then take exactly those.",
  "home.about":
    "A game for two to five. Play against bots or people, watch, and check afterwards that the cards were shuffled fairly.",
  "home.play": "Play now",
  "home.rulesets": "Five ways to play",
  "home.short": "Short games",
  "home.against": "Play against bots",
  "home.new": "Open a table",
  "home.people": "Find people",
  "home.mine": "My games",
  "home.yourTurn": "Your turn",
  "home.learn": "Learn to play",
  "home.rules": "The rules",
  "home.opens": "Opening a table …",
  "home.playAbout": "No account needed. You play a short game against three bots.",
  "home.turnOf": "{who}’s turn",
  "home.first": "New to it? A first game explains everything in five minutes.",
};
