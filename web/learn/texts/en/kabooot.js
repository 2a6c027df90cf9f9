// English: the rules of `kabooot`, as a person tells them at a table.

export default `
# Kabooot

The number of the round is part of every score, so late rounds weigh more. Who calls all thirteen tricks and takes them makes a
kabooot, and everybody else pays for it.

## The table

Four people play, each alone, with 52 cards, 13 each. Everything goes counter-clockwise: after you comes the player on your
right. A game has 18 rounds, and the highest total wins. The deal moves to the next seat each round, and the player after the
{dealer|dealer} speaks first.

A {trick|trick} is one card from each player; players of this version call it an “eat”. You must {follow|follow} the suit that
was led if you can. If you cannot, you may play anything. The highest {trump|trump} takes the trick; without one, the highest
card of the suit that was led. The winner leads the next.

## Is a suit missing?

Before anything is said, a player whose hand lacks a suit must choose. {redeal|Redeal}: all cards are dealt again. Or
{avoid|avoid}: the player tells that a suit is missing, never which, and plays on.

## Rounds 1 to 13: what you say

- **Blind dash.** First everybody is asked: enter the auction, or a {blind_dash|blind dash}? That is a call of 0 before anybody
  has bid. You have seen your cards; what you do not know is trump. Two players at most may do it.
- **Auction.** The others {bid|bid}: a number from 4 to 13 with a trump or no trump, each higher than the one before by number
  or by {suit_rank|suit}. After a {pass|pass} you are out. The last who bids is the {bidder|bidder}. If nobody bids, the cards are
  dealt again.
- **Estimates.** From the bidder’s right, the others say a number from 0 to the bid. The same number as the bidder is
  {with|With}; 0 is a {dash|dash}. A round has two zeros at most, blind dashes included.
- **The last** who speaks is the {risk|Risk} and may not make the four calls add up to 13. Above 13 the round is {over|over},
  below it is {over|under}.

## Rounds 14 to 18: accelerated rounds

No auction, no blind dash and no With. Trump is no trump, then spades, hearts, diamonds, clubs. All four say a number from 0 to
13, again with two zeros at most; the last is the Risk. The highest number counts as the bidder; if two are equal, the first.

## Play

The bidder leads the first trick.

## The score

Add all lines that apply to you. The difference is how far your tricks are from your call.

| Line | Made | Lost |
| everybody | the number of the round | −round − difference |
| bidder | tricks + 10 | −10 |
| {with|With} | tricks + 10 | – |
| dash | 10 over, 20 under | −20 |
| blind dash | 20 over, 10 under | −20 over, −10 under |
| anybody else | tricks | – |
| {only_winner|the only one} who made it, or lost | +10 | −10 |
| Risk, for each level | +10 | −10 |
| {kabooot|kabooot}: called 13, took 13 | +50 | – |
| somebody else made a kabooot | −25 | −25 |

The Risk’s levels: the total of the calls is 1 or 2 away from 13: one level. 3 or 4: two. 5 or 6: three. 7 or more: four.

If nobody makes it, all score 0, and the {carry|next round} counts double, then three times, until somebody does.

## An example

Round 1. Mona bids 5 ♠ and nobody goes higher. Omar says 3, Sara 2. Ali is the Risk: the others have 10, so he may not say 3. He
says 2. That makes 12, one away from 13.

| Player | Call | Tricks | Points | Why |
| Mona | 5 | 5 | 16 | round 1, 5 tricks, bidder 10 |
| Omar | 3 | 3 | 4 | round 1, 3 tricks |
| Sara | 2 | 3 | −12 | round −1, difference −1, the only loser −10 |
| Ali | 2 | 2 | 13 | round 1, 2 tricks, Risk 10 |

## A kabooot

Round 12. Mona blind dashes. Ali bids 13 ♠. Omar says 0. Two zeros are said, so Sara, the Risk, must say at least 1. That makes 14:
over.

| Player | Call | Tricks | Points | Why |
| Ali | 13 | 13 | 85 | round 12, 13 tricks, bidder 10, kabooot 50 |
| Mona | 0 | 0 | 7 | round 12, blind dash over 20, Ali’s kabooot −25 |
| Omar | 0 | 0 | −3 | round 12, dash over 10, Ali’s kabooot −25 |
| Sara | 1 | 0 | −58 | round −12, difference −1, only loser −10, Risk −10, Ali’s kabooot −25 |

## What tables change

The host can choose these before the game, and the table shows them: {option.length|length}, {option.auction|one call each},
{option.minimum_bid|another lowest bid}, {option.fast_redeal|redeals in accelerated rounds}, {option.risk_ladder|the Risk’s levels},
{option.with_penalty|a price for With}, {option.carry_ladder|how rounds grow}, {option.blind_dash_swap|blind dashes the other way
round}, {option.concealed_tricks|tricks that nobody counts for you}.
`;
