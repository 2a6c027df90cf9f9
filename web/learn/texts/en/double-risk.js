// English: the rules of `double-risk`, as a person tells them at a table.

export default `
# Double Risk

What you are in a round adds up: bidder, With, Risk or Double Risk. A call of 8 or more counts twice, and rounds without a winner
make the next one worth more.

## The table

Four people play, each alone, with 52 cards, 13 each. Everything goes counter-clockwise: after you comes the player on your
right. A game has 18 rounds, and the highest total wins. The {starter|first to speak} is the next seat in each round.

A {trick|trick} is one card from each player. You must {follow|follow} the suit that was led if you can. If you cannot, you may
play anything. The highest {trump|trump} takes the trick; without one, the highest card of the suit that was led. The winner
leads the next.

## Is a suit missing?

Before the auction, a player whose hand lacks a suit must choose. {redeal|Redeal}: all cards are dealt again. Or
{avoid|avoid}: the player tells that a suit is missing, never which, and plays on.

## Rounds 1 to 13: the auction

- **Bids.** In turn you make a {bid|bid}, a number from 4 to 13 with a trump or no trump. It must be higher than the one before:
  a higher number, or the same number with a higher {suit_rank|suit}: clubs, diamonds, hearts, spades, no trump.
- **Pass.** After a {pass|pass} you are out of the auction. You will say your number later.
- **Dash call.** As your very first word you may make a {dash_call|dash call}: “I will take none”, before you know trump.
- The last who bids is the {bidder|bidder}: the bid is the call, and its suit is trump. If nobody bids, the cards are dealt again.

## Rounds 1 to 13: the estimates

From the bidder’s right, everybody who did not dash-call says a number from 0 to the bid. The same number as the bidder is
{with|With}. **A round has two zeros at most**, dash calls and {dash|dashes} together; after two, nobody may say 0.

Who speaks last is the {risk|Risk} and may not make the four calls add up to 13. If the total is 3 or more away from 13, that
player is the {double_risk|Double Risk}.

## Rounds 14 to 18: fast rounds

{fast_round|Fast rounds} have no auction. Trump is no trump, then spades, hearts, diamonds, clubs, and cannot change. All four say a
number from 0 to 13, two zeros at most. The fourth is the Risk. The highest number makes the bidder; if two are equal, the first
of them, and the other is With.

## Play

The bidder leads the first trick.

## The score

Add what applies to you:

| | Made | Lost |
| your call | + call | −difference |
| everybody | +10 | 0 |
| … but a dash call | +23 | −23 |
| as bidder or With | +10 | −10 |
| as Risk | +10 | −10 |
| as Double Risk, instead | +20 | −20 |
| {only_winner|the only one} who made it, or lost | +10 | −10 |
| a call of 0 when the calls are {over|under} 13 | +10 | −10 |

A dash call has 23 in the place of the 10 that everybody gets. If your call is 8 or more, everything counts twice, won or lost.
If nobody makes it, all score 0, and the {carry|next round} counts double, then three times, until somebody does.

## An example

Round 1. Mona bids 5 ♠ and nobody goes higher. Omar says 3, Sara 2. Ali is the Risk: the others have 10, so he may not say 3. He
says 2. That makes 12, one away from 13.

| Player | Call | Tricks | Points | Why |
| Mona | 5 | 5 | 25 | 5 + 10, bidder 10 |
| Omar | 3 | 3 | 13 | 3 + 10 |
| Sara | 2 | 3 | −11 | difference −1, the only loser −10 |
| Ali | 2 | 2 | 22 | 2 + 10, Risk 10 |

## A Double Risk

Round 9. Mona bids 8 with no trump. Omar and Sara say 0: that is two zeros. Ali is last and may not say 0. He says 8, so he is
With. That makes 16, three away from 13: Ali is the Double Risk.

| Player | Call | Tricks | Points | Why |
| Mona | 8 | 3 | −30 | difference −5, bidder −10, all of it twice |
| Omar | 0 | 0 | 10 | 0 + 10 |
| Sara | 0 | 2 | −2 | difference −2 |
| Ali | 8 | 8 | 96 | 8 + 10, With 10, Double Risk 20, all of it twice |

## What tables change

The host can choose these before the game, and the table shows them: {option.length|length},
{option.starter_rotation|who starts}, {option.auction|one call each}, {option.minimum_bid|another lowest bid},
{option.dash_call_timing|dash calls before the auction}, {option.fast_redeal|redeals in fast rounds},
{option.risk_ladder|when there is a Risk}, {option.with_penalty|no price for With}, {option.carry_ladder|how rounds grow},
{option.concealed_tricks|tricks that nobody counts for you}.
`;
