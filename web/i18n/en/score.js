// English: the points of a round and the end of a game.

export default {
  "scores.round": "Round", "scores.roundNumber": "Round {round}", "scores.taken": "{tricks} of {call}",
  "scores.multiplier": "counts × {multiplier}", "scores.points": "Points", "scores.revoke": "Revoke", "scores.total": "Total",
  "reason.bid": "Bid", "reason.estimate": "Estimate", "reason.made": "Call made", "reason.tricks": "Tricks",
  "reason.call": "Call", "reason.difference": "Difference", "reason.round": "Round", "reason.hand_size": "Hand size",
  "reason.larger_of_call_and_tricks": "Larger of call and tricks", "reason.bidder": "Bidder", "reason.with": "With",
  "reason.risk": "Risk", "reason.double_risk": "Double Risk", "reason.dash": "Dash", "reason.dash_call": "Dash call",
  "reason.blind_dash": "Blind dash", "reason.under": "Under 13", "reason.high_call": "High call",
  "reason.only_winner": "Only winner", "reason.only_loser": "Only loser", "reason.kabooot": "Kabooot",
  "reason.kabooot_by_other": "Another player's Kabooot", "reason.multiplier": "Multiplier", "reason.no_winner": "No winner",
  "reason.folded": "Folded",
  "sheet.player": "Player", "sheet.call": "Call", "sheet.took": "Took", "sheet.continue": "Continue", "sheet.show": "Show",
  "sheet.showRound": "Show the round", "sheet.over": "{count} too many", "sheet.under": "{count} too few",
  "sheet.folded": "Nobody bid. The round is not played.", "sheet.next": "Next: {who} deals.", "sheet.nextYou": "Next: you deal.",
  "sheet.nextCards": "Cards in each hand: {count}.", "sheet.nextTimes": "The next round counts × {times}.",
  "sheet.nextEnd": "That was the last round.",
  "podium.youWon": "You won!", "podium.won": "{who} won", "podium.shared": "{who} share the first place",
  "podium.best": "Your best call", "podium.worst": "Your worst call",
  "podium.call": "Round {round}: called {call}, took {tricks}", "podium.again": "Again", "podium.replay": "Replay",
  "podium.invited": "{who} wants to play again, and waits at the next table.",
};
