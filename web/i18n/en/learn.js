// English: rules, words and the first game.

export default {
  "learn.close": "Close", "learn.see": "See also", "learn.rules": "Rules",
  "learn.rulesAbout": "Five ways to play, as people tell them at a table. In each you say how many tricks you will take, and then try to take exactly that many.",
  "learn.words": "Words of the game", "learn.options": "What a table can choose", "learn.read": "Read the rules",
  "learn.first": "A first game that teaches",
  "learn.firstAbout": "A short game, explained as it goes. It needs no account, and you can leave at any time.",
  "learn.start": "Learn it by playing: {ruleset}", "learn.book": "The numbered rule book: {ruleset}",
  "learn.bookAbout": "It decides when this page is too short.", "learn.bookRules": "Rules that all share",
  "learn.bookOptions": "All options", "learn.play": "Play against bots", "learn.back": "All rules",
  "learn.lesson": "First game: {ruleset}", "learn.next": "Go on", "learn.recall": "What was that?", "learn.leave": "Leave",
  "learn.again": "From the start", "learn.over": "Play a real game against bots", "learn.step": "{step} of {of}",
  "learn.missing": "There is no such page of rules.",
};
