// English: the first lesson in `nineteen`, its first three turns.

/** @type {import("../../lesson.js").Texts} */
export default {
  title: "Nineteen",
  names: ["You", "Omar", "Sara", "Ali"],
  says: {
    welcome: `In each turn you say how many {trick|tricks} you will take, and try to take exactly that many. Points
are penalties: the fewest
      win. The first turn has one card each, and yours is 7 ♦.`,
    trump: `A trick is one card from each player; the highest card of the suit that was led takes it. But one suit beats all others:
      {trump|trump}. The {indicator|card that is turned up}, 10 ♦, tells which: diamonds.`,
    dealer: `You dealt, so you speak last. Omar said 0, Sara 1, Ali 0: together 1. The dealer may not make the total
equal to the number of cards,
      which is 1. So you may not say 0. Try it, or say 1.`,
    missed: `Sara led K ♦, a higher trump than your 7. You said 1 and took 0: a penalty of 1 for the card, and 1 for
your number. In every turn
      somebody must miss. This time the rule made it you.`,
    second: `Now two cards each, and diamonds are trump again. Your A ♦ is the highest trump. It takes a trick,
whether you like it or not. Your
      9 ♥ will hardly take one. What do you say?`,
    "second.none": `A ♦ cannot lose: nothing beats the highest trump. 0 would be a miss.`,
    "second.both": `For two tricks the 9 ♥ would have to win as well. Higher hearts, and trumps, are about.`,
    follow: `Ali leads Q ♥. You hold a heart, so you must {follow|follow}. Try the ace if you like: the table tells you why not.`,
    trumped: `Sara had no heart and took it with a trump. Then she led A ♠. You had no spade, so your A ♦ was free to take it. Said 1, took
      1: no penalty. Omar said 1 and took none: 2 cards and 1, that is 3.`,
    third: `Three cards. 6 ♦ is turned up: diamonds again. You hold two of them, 10 ♦ and 7 ♦. Only twelve cards are dealt, so few others
      are trumps. Ali said 0. What do you say?`,
    "third.none": `With two trumps you would have to lose both. That is hard.`,
    "third.one": `Possible, if one of your trumps is beaten. But few trumps are about: count on both.`,
    "third.all": `Then Q ♣ must win too. A king, an ace or any trump beats it.`,
    lead: `You {lead|lead}: the player after the first who spoke begins, and that is you. Which card takes a trick?`,
    "lead.plain": `Q ♣ may lose to a king, an ace or a trump. You want a trick now.`,
    "lead.low": `It may do. But a trump above 7 would beat it, and the 10 is safer. Begin with the higher one.`,
    rid: `Nobody had a trump. One more, and the 7 ♦ will take it at any time. So first get rid of the card that you
do not want to win with.`,
    "rid.trump": `It takes your second trick. But then Q ♣ is your last card, and it might win a third. Lose it first.`,
    made: `Ali’s K ♣ beat your queen. He led a spade, and you took it with 7 ♦. Said 2, took 2: no penalty. Ali said
0 and took one: 3 + 1 = 4.
      The totals: Sara 0, you 2, Omar 3, Ali 4.`,
    elsewhere: `In other ways to play, people bid for trump. Who says the same number as the highest bidder is {with|With}. Who speaks
      last, as the dealer here, is the {risk|Risk} and wins or loses more. A 0 is a {dash|dash}. Open a word to read more.`,
    end: `That is the game. It goes on up to ten cards, and back to one: nineteen turns. Now play a real one against bots.`,
  },
};
