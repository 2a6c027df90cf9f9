/** English: profiles, statistics and leaderboards. */
export default {
  "people.player": "Player", "people.kind.full": "Player with an account", "people.kind.guest": "Guest",
  "people.kind.deleted": "Deleted account", "people.since": "here since {at}", "people.account": "Your account",
  "people.statistics": "Statistics",
  "people.statisticsAbout": "Finished games count, also those against bots. The rating counts games in which a person had every seat at the start.",
  "people.noGames": "No game is finished yet.", "people.ruleset": "Ruleset", "people.games": "Games", "people.wins": "Won",
  "people.made": "Calls made", "people.points": "Points a game", "people.rating": "Rating", "people.percent": "{percent} %",
  "people.brokenOff": "Broken off", "people.tables_cancelled": "Tables closed while others sat there",
  "people.openings_missed": "Starts that failed because of this player", "people.games_left": "Games left",
  "people.recent": "Recent games", "people.noPublicGames": "There is no public game.",
  "people.leaderboardAbout": "The rating is what a player’s strength almost certainly exceeds. Players with at least {games} rated games are listed.",
  "people.rank": "Rank", "people.nobody": "Nobody has played enough rated games yet.", "people.more": "More",
};
