// English: what the words of the game and the options of a table mean. `see` has other words to look up.

/** @type {Record<string, import("../../explanation.js").Entry>} */
export default {
  trick: {
    name: "Trick",
    text: `One card from each player. The highest trump takes it; without a trump, the highest card of the suit that was led. Its winner
    leads the next one.`,
    see: ["lead", "follow", "trump"],
  },
  call: {
    name: "Call",
    text: `The number of tricks to which you are bound: your winning bid, your estimate, or the 0 of a dash call. Take exactly that many.
    One too many is as wrong as one too few.`,
    see: ["bid", "estimate", "made"],
  },
  made: {
    name: "Made and lost",
    text: `You made it if you took exactly as many tricks as you called. Otherwise you lost, with more tricks as well as with fewer.`,
    see: ["call"],
  },
  lead: {
    name: "Lead",
    text: `To play the first card of a trick. The leader may play any card, a trump too. The winner of a trick leads the next.`,
    see: ["trick", "follow"],
  },
  follow: {
    name: "Follow suit",
    text: `If you hold a card of the suit that was led, you must play one. If you hold none, you may play any card; nobody has to trump.`,
    see: ["void", "revoke"],
  },
  void: {
    name: "Void",
    text: `You are void in a suit if you hold no card of it. When it is led, you may play anything: a trump to win, or a card that you
    want to lose.`,
    see: ["follow", "avoid"],
  },
  trump: {
    name: "Trump",
    text: `The suit that beats all others in this round. Kabooot players call it Tarneeb. Among trumps the highest wins.`,
    see: ["no_trump", "trick"],
  },
  no_trump: {
    name: "No trump",
    text: `A round in which no suit is trump: the highest card of the suit that was led always wins. Players also call it Sans.`,
    see: ["trump", "suit_rank"],
  },
  suit_rank: {
    name: "Rank of the suits",
    text: `Clubs, diamonds, hearts, spades, no trump, from low to high. The rank counts in the bidding alone: 5 spades is above 5 hearts.
    In play no suit is higher than another, but for trump.`,
    see: ["bid", "trump"],
  },
  dealer: {
    name: "Dealer",
    text: `The player who deals this round. The button shows who it is. The deal moves to the next seat each round, and who speaks first
    depends on it.`,
    see: ["starter"],
  },
  starter: {
    name: "First to speak",
    text: `The player who speaks first in a round: the one after the dealer. It moves to the next seat each round.`,
    see: ["dealer"],
  },
  auction: {
    name: "Auction",
    text: `The part of a round in which players bid for the right to choose trump. The winner pays for it with a high call.`,
    see: ["bid", "pass", "bidder"],
  },
  bid: {
    name: "Bid",
    text: `A number of tricks and the trump that you want, such as 5 ♠. The highest bid wins: by number, then by the rank of the suit. If
    it wins, it is your call.`,
    see: ["auction", "suit_rank", "call"],
  },
  pass: {
    name: "Pass",
    text: `You leave the auction of this round for good. You say your number later, when trump is known.`,
    see: ["auction", "estimate"],
  },
  bidder: {
    name: "Bidder",
    text: `The winner of the auction. The bid is the call, its suit is trump, and the bidder leads the first trick. In a fast round it is
    the one who said the highest number.`,
    see: ["auction", "with"],
  },
  declarer: {
    name: "Declarer",
    text: `The winner of the bidding in Plain: the bid is the call, and its suit is trump. The first card is led by the dealer’s right
    all the same.`,
    see: ["bid", "dealer"],
  },
  estimate: {
    name: "Estimate",
    text: `The number that you say after the auction, when trump is known: from 0 to the bidder’s number. It is final.`,
    see: ["call", "with", "risk"],
  },
  total: {
    name: "Total of the calls",
    text: `All calls of the round added up. Tricks number 13 (in Nineteen as many as cards in a hand), so if the calls make another
    number, somebody must miss.`,
    see: ["over", "risk"],
  },
  over: {
    name: "Over and under",
    text: `Over: the calls add up to more than 13, so players fight for tricks. Under: to less than 13, so players try to lose them.`,
    see: ["total", "dash_call"],
  },
  with: {
    name: "With",
    text: `You said the same number as the bidder. You are With the bidder: if you make it, you get the bidder’s extra points. What you
    pay if you lose depends on the rules. Plain has no With.`,
    see: ["bidder", "estimate", "option.with_penalty"],
  },
  risk: {
    name: "Risk",
    text: `The last player who says a number. The Risk may not make the calls add up to 13, and so often has to say one more or one less
    than is good. In return, making it brings extra points; losing costs as many. The further from 13, the more. Plain has a Risk only by an
    option, and without points.`,
    see: ["total", "double_risk", "option.risk_ladder"],
  },
  double_risk: {
    name: "Double Risk",
    text: `The Risk, when the calls are 3 or more away from 13. It wins or loses 20 instead of 10.`,
    see: ["risk", "total"],
  },
  dash: {
    name: "Dash",
    text: `A call of 0 said as an estimate, when trump is known: you must take no trick at all.`,
    see: ["dash_call", "blind_dash"],
  },
  dash_call: {
    name: "Dash call",
    text: `A call of 0 as your very first word, before trump is known. You neither bid nor estimate in this round. It is bolder than a
    dash, so most rules pay more for it, and take more. In Plain it is worth 0 if you make it, and is the way not to bid.`,
    see: ["dash", "option.dash_call_timing", "option.dash_limit"],
  },
  blind_dash: {
    name: "Blind dash",
    text: `A call of 0 in Kabooot, before anybody has bid. You have seen your cards; what you do not know is trump. Two players at most
    may do it.`,
    see: ["dash", "kabooot"],
  },
  avoid: {
    name: "Avoid",
    text: `“I lack at least one suit.” You keep your cards and the game goes on. You do not say which suit it is.`,
    see: ["void", "redeal"],
  },
  redeal: {
    name: "Redeal",
    text: `All cards are dealt again, for the same round. A player whose hand lacks a suit may ask for it; one is enough.`,
    see: ["avoid"],
  },
  fast_round: {
    name: "Fast round",
    text: `One of the last rounds, without an auction. Trump is fixed: no trump, spades, hearts, diamonds, clubs, one after the other.
    Everybody says a number. Kabooot calls it accelerated.`,
    see: ["estimate", "bidder"],
  },
  folded: {
    name: "Folded round",
    text: `Nobody bid in Squares. All score 0, the round is over, and the next one is worth more.`,
    see: ["carry"],
  },
  carry: {
    name: "Multiplier",
    text: `After a round that nobody made, the next round counts double; after two in a row three times, and so on. Then it is 1 again.
    In Squares, round 13 and a round with two Withs or more double as well.`,
    see: ["folded", "saaydeh", "option.carry_ladder"],
  },
  saaydeh: {
    name: "Sa’aydeh",
    text: `A round that is multiplied because nobody made the round before.`,
    see: ["carry"],
  },
  only_winner: {
    name: "Only winner, only loser",
    text: `The only one of the four who made the call gets 10 more. The only one who lost it pays 10 more.`,
    see: ["made"],
  },
  high_call: {
    name: "High call",
    text: `A call of 8 or more. In Squares it is worth its square, and half of it if lost. In Double Risk it doubles your points.`,
    see: ["call", "option.high_call_extras"],
  },
  kabooot: {
    name: "Kabooot",
    text: `All thirteen tricks called, and all thirteen taken. In Kabooot it is worth 50 more, and everybody else pays 25.`,
    see: ["call"],
  },
  indicator: {
    name: "Indicator",
    text: `The card that is turned up after the deal in Nineteen. Its suit is trump. Nobody holds it.`,
    see: ["trump"],
  },
  revoke: {
    name: "Revoke",
    text: `Not to follow suit although you could. The table refuses the card. At some tables of Nineteen it is accepted: then the turn is
    dealt again, and you pay twice the number of cards.`,
    see: ["follow", "option.revokes"],
  },
  joker: {
    name: "Joker",
    text: `The highest trump in Nineteen: the red one is above the black one. If a joker is turned up, there is no trump, and the other
    joker takes any trick. You may then play it only when you lead or cannot follow.`,
    see: ["indicator", "option.jokers"],
  },
  cut: {
    name: "Cut",
    text: `Before the deal, the player on the dealer’s right puts some cards from the top of the pack under the rest.`,
    see: ["dealer"],
  },
  draw: {
    name: "Draw for seats",
    text: `Before a game of Plain everybody gets a card. The highest chooses a seat first and deals first; for equal cards spades are
    above hearts, diamonds and clubs.`,
    see: ["dealer"],
  },
  stand_in: {
    name: "Stand-in",
    text: `A bot that plays for somebody who is away. The player can come back at any time.`,
    see: ["bot"],
  },
  bot: {
    name: "Bot",
    text: `A player made by the computer. It sees what a person in its seat sees, and nothing else.`,
    see: ["stand_in"],
  },
  "option.length": {
    name: "Length",
    text: `Full: 18 rounds. Mini: 5 with an auction and 5 fast ones. Micro: 5 with an auction.`,
    see: ["fast_round"],
  },
  "option.order": {
    name: "Order",
    text: `Hands grow from one card to ten and shrink again, or shrink from ten to one and grow again.`,
    see: [],
  },
  "option.jokers": {
    name: "Jokers",
    text: `One or two jokers take the place of the lowest cards of the pack. They are the highest trumps.`,
    see: ["joker"],
  },
  "option.concealed_tricks": {
    name: "Concealed tricks",
    text: `Nobody counts the tricks for you: how many each player has taken stays hidden until the round is scored. Remember them.`,
    see: ["trick"],
  },
  "option.revokes": {
    name: "Revokes",
    text: `A card that does not follow suit is refused. Or it is accepted: then the turn is dealt again, and its player pays twice the
    number of cards.`,
    see: ["revoke"],
  },
  "option.starter_rotation": {
    name: "Starter rotation",
    text: `Who starts the next round: the next seat, always the same seat, or the last bidder.`,
    see: ["starter", "bidder"],
  },
  "option.auction": {
    name: "Auction",
    text: `Each bid must beat the one before, until all but one have passed. Or everybody calls once, and the highest wins.`,
    see: ["auction", "bid"],
  },
  "option.minimum_bid": {
    name: "Minimum bid",
    text: `The lowest number that may be bid; usually 4. Estimates may always be lower.`,
    see: ["bid", "estimate"],
  },
  "option.dash_call_timing": {
    name: "Dash call timing",
    text: `A dash call is made in the auction, as one’s first word. Or everybody is asked for it before the auction begins.`,
    see: ["dash_call"],
  },
  "option.fast_redeal": {
    name: "Fast redeal",
    text: `Whether a hand that lacks a suit may ask for a new deal in fast rounds too.`,
    see: ["redeal", "fast_round"],
  },
  "option.fast_trump_change": {
    name: "Fast trump change",
    text: `Whether a player who says 8 or more in a fast round may name another trump. A later change must be higher.`,
    see: ["fast_round", "trump"],
  },
  "option.risk_ladder": {
    name: "Risk ladder",
    text: `Whether the Risk is worth something when the calls are one away from 13, or only from two.`,
    see: ["risk", "double_risk"],
  },
  "option.with_penalty": {
    name: "With penalty",
    text: `Whether a With who loses pays 10 more, as the bidder does.`,
    see: ["with"],
  },
  "option.carry_ladder": {
    name: "Carry ladder",
    text: `How the next round grows after rounds that nobody made: ×2, ×3, ×4; or ×2, ×4, ×8; or always ×2.`,
    see: ["carry"],
  },
  "option.high_call_extras": {
    name: "High call extras",
    text: `What is added to the square of a call of 8 or more: everything; only the 10 of the only winner or loser; or nothing.`,
    see: ["high_call", "only_winner"],
  },
  "option.half_square": {
    name: "Half square",
    text: `Half of an odd square is no whole number. It is rounded down or up: a lost 9 costs 40 or 41.`,
    see: ["high_call"],
  },
  "option.blind_dash_swap": {
    name: "Blind dash swap",
    text: `A blind dash that is made brings 20 over and 10 under. Or the other way round: 10 over and 20 under.`,
    see: ["blind_dash", "over"],
  },
  "option.seating": {
    name: "Seating",
    text: `Cards are drawn for the choice of seats, or everybody stays where they sat down.`,
    see: ["draw"],
  },
  "option.cut": {
    name: "Cut",
    text: `Whether the player on the dealer’s right cuts the pack before each deal.`,
    see: ["cut"],
  },
  "option.bid_direction": {
    name: "Bid direction",
    text: `Which way round the bids and estimates go. Deal and play stay counter-clockwise.`,
    see: ["bid", "estimate"],
  },
  "option.first_lead": {
    name: "First lead",
    text: `Who leads the first trick of a hand: the player on the dealer’s right, or the declarer.`,
    see: ["lead", "declarer"],
  },
  "option.allow_pass": {
    name: "Allow pass",
    text: `Whether a player may pass instead of bidding. If nobody bids, the next seat deals the hand again.`,
    see: ["pass"],
  },
  "option.no_trump_bids": {
    name: "No trump bids",
    text: `Whether a bid may name no trump.`,
    see: ["no_trump", "bid"],
  },
  "option.dash_limit": {
    name: "Dash limit",
    text: `How many players may make a dash call in one hand: two or three.`,
    see: ["dash_call"],
  },
  "option.forbid_thirteen": {
    name: "Forbid thirteen",
    text: `The last who estimates may not make the calls add up to 13, and is shown as the Risk. The Risk is worth nothing in Plain.`,
    see: ["risk", "total"],
  },
};
