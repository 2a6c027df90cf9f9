// English: hints.

export default {
  "hint.button": "Hint",
  "hint.title": "A hint",
  "hint.about": "A hint says what a bot would do in your place. It knows only what you see. The game then counts in no statistics.",
  "hint.take": "Take the hint",
  "hint.stay": "No hint",
  "hint.play": "A bot would play: {card}.",
  "hint.bid": "A bot would bid {tricks} {trump}.",
  "hint.estimate": "A bot would say {tricks}.",
  "hint.estimate_trump": "A bot would say {tricks} and name {trump}.",
  "hint.pass": "A bot would pass.",
  "hint.enter_auction": "A bot would enter the auction.",
  "hint.avoid": "A bot would keep the hand.",
  "hint.redeal": "A bot would ask for a new deal.",
  "hint.dash_call": "A bot would make a dash call.",
  "hint.blind_dash": "A bot would make a blind dash.",
  "hint.cut": "A bot would cut after {position} cards.",
  "hint.choose_seat": "A bot would take seat {seat}.",
};
