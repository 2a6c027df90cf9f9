// English: the first lesson, a hand of `plain`.

/** @type {import("../../lesson.js").Texts} */
export default {
  title: "Plain",
  names: ["You", "Omar", "Sara", "Ali"],
  says: {
    welcome: `Four people play, each alone. In every hand you say how many {trick|tricks} you will take. Then you try to take exactly that
      many: not one less, and not one more. Below are your 13 cards.`,
    tricks: `A trick is one card from each player. The highest card of the suit that was led takes it: the ace is above the king, the queen,
      the jack, and the 10. One suit is {trump|trump}: it beats all others. Which one, that is what you bid for.`,
    bid: `You begin. A {bid|bid} says how many tricks you take, and with which trump. Your best suit is spades. A, K
and Q of spades take three,
      A ♣ takes one, and your last spade can take one more: five. Bid 5 ♠.`,
    "bid.dash": `A {dash_call|dash call} promises no trick at all. With two aces, a king and two queens you could not keep that.`,
    "bid.other": `Count again: A, K, Q of spades, A ♣ and the fourth spade. That is five, with spades as trump.`,
    declarer: `Ali bid 5 ♣, Sara 4 ♣, Omar 4 ♥. Yours is the highest, for among equal numbers spades are the highest
      {suit_rank|suit}. You are the {declarer|declarer}: spades are trump, and 5 is your {call|call}.`,
    estimates: `The others now say what they will take, at most 5: Ali 3, Sara 3, Omar 2. Whoever says 0 has a
{dash|dash} and must take nothing.
      Each bid is shown where its player sits.`,
    lead: `You {lead|lead} the first card. The others hold nine spades, and with each of them they could beat your other suits. Take them
      away: lead your highest spade.`,
    "lead.low": `Somebody has a higher spade than the 4. Begin with the highest.`,
    "lead.high": `That takes the trick too, as nobody else has the ace. But begin with the highest: A ♠.`,
    "lead.other": `Not yet: somebody might beat it with a spade. First take the spades out. Lead A ♠.`,
    won: `All had to {follow|follow} with a spade, and your ace was the highest: the first of your five tricks. Who takes a trick leads the
      next. You go on with the king and the queen.`,
    drawn: `Three tricks. And now all spades are gone but one: your 4 ♠ beats every card that is left, whenever you
play it. Which other card is
      sure to take a trick?`,
    "drawn.trump": `It would, but it can wait: it takes a trick at any time. Find another that is sure.`,
    "drawn.other": `Others may hold a higher card of that suit. Only an ace is sure.`,
    enough: `Four tricks, and the 4 ♠ will be the fifth. So from now on you must lose all others! One of your cards is dangerous, because it
      is high. Lead it while others still hold higher ones.`,
    "enough.trump": `It takes the fifth trick, but it can do that at the end too. First get rid of the dangerous card: a high one.`,
    "enough.other": `That one is low and will lose anyway. The dangerous one is Q ♥: A ♥ and K ♥ can still beat it.`,
    follow: `It worked: Sara took it, and others took the next ones. Ali leads 4 ♦. You hold diamonds, so you must follow. Try another
      suit, and the table tells you why not. You want to lose: which diamond?`,
    "follow.high": `The 9 is more likely to take the trick, and you do not want it. Play the lower one.`,
    void: `Omar leads J ♥, and you have no heart any more: you are {void|void} and may play anything. You need one more trick. Take it.`,
    "void.other": `That would lose, and you need one more trick. Beat it with your last trump, 4 ♠.`,
    made: `Called 5, taken 5: you get 5 points. If you had missed, you would have lost the difference, one point for
each trick too many or too
      few. Here all four made it, as 5, 2, 3 and 3 are 13.`,
    elsewhere: `In most ways to play that cannot happen: the last who speaks, the {risk|Risk}, may not make the calls add up to 13, and
      wins or loses more for it. Who says the same number as the highest bidder is {with|With}. A 0 is a {dash|dash}. Open a word to
      read more.`,
    end: `That is the game. Now play a real one against bots: a short game has five hands.`,
  },
};
