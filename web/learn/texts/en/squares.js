// English: the rules of `squares`, as a person tells them at a table.

export default `
# Squares

There is an auction, and the winner must take what was bid. High calls are worth their square: 8 is 64 points, 13 is 169. Some
rounds count double.

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
- **Dash call.** As your very first word you may make a {dash_call|dash call}: “I will take none”, before you know trump. Three
  players at most may do it. If all three others do, the fourth may not bid 13.
- The last who bids is the {bidder|bidder}: the bid is the call, and its suit is trump.
- If nobody bids, the round is {folded|folded}: all score 0, and the next round is worth more.

## Rounds 1 to 13: the estimates

From the bidder’s right, everybody who did not dash-call says a number from 0 to the bid.

- Who says the same number as the bidder is {with|With} and shares the bidder’s reward.
- Who says 0 has a {dash|dash}. It is worth less than a dash call, because trump is known.
- Who speaks last is the {risk|Risk}. The Risk may not make the four calls add up to 13, so somebody always misses. Above 13 the
  round is {over|over}, below it is {over|under}.

## Rounds 14 to 18: fast rounds

{fast_round|Fast rounds} have no auction. Trump is no trump, then spades, hearts, diamonds, clubs. All four say a number from 0 to
13, and the fourth is the Risk. The highest number makes the bidder; if two are equal, the first of them, and the other is With.
Who says 8 or more may name another trump with it.

## Play

The bidder leads the first trick. If all four said 0 in a fast round, the first to speak leads.

## The score

Find the first line that fits you:

| You are … | Made | Lost |
| a dash call | 23 over, 33 under | −23 |
| a call of 8 or more | its square | minus half its square |
| the bidder | tricks + 20 | −difference − 10 |
| With | tricks + 20 | −difference |
| a dash | 10 | −10 |
| anybody else | tricks + 10 | −difference |

Then add what applies:

- {only_winner|The only one} of the four who made it: +10. The only one who lost: −10.
- The Risk: +10 or −10 for each level. The total of the calls is 1 or 2 away from 13: one level. 3 or 4: two. 5 or 6: three. 7 or
  more: four.

Round 13 counts double, and so does a round with two Withs or more. If nobody makes it, all score 0, and the {carry|next round} counts
double, then three times, until somebody does. All of these multiply.

## An example

Round 1. Mona bids 5 ♠ and nobody goes higher. Omar says 3, Sara 2. Ali is last, the Risk: the others have 10, so he may not say
3. He says 2. That makes 12, one away from 13.

| Player | Call | Tricks | Points | Why |
| Mona | 5 | 5 | 25 | bidder, made: 5 + 20 |
| Omar | 3 | 3 | 13 | 3 + 10 |
| Sara | 2 | 3 | −11 | one too many: −1; the only loser: −10 |
| Ali | 2 | 2 | 22 | 2 + 10, and 10 as the Risk |

## A With, and calls of 8

Round 5. Mona bids 8 ♠. Omar says 0, Sara 1. Ali, the Risk, says 8: he is With. That makes 17, four away from 13: two levels.

| Player | Call | Tricks | Points | Why |
| Mona | 8 | 4 | −42 | half of 64 lost: −32; the only loser: −10 |
| Omar | 0 | 0 | 10 | a dash, made |
| Sara | 1 | 1 | 11 | 1 + 10 |
| Ali | 8 | 8 | 84 | the square: 64; the Risk, two levels: 20 |

## What tables change

The host can choose these before the game, and the table shows them: {option.length|length},
{option.starter_rotation|who starts}, {option.auction|one call each}, {option.minimum_bid|another lowest bid},
{option.dash_call_timing|dash calls before the auction}, {option.fast_redeal|redeals in fast rounds},
{option.fast_trump_change|no change of trump}, {option.risk_ladder|the Risk’s levels}, {option.with_penalty|a price for With},
{option.carry_ladder|how rounds grow}, {option.high_call_extras|extras of high calls}, {option.half_square|half squares},
{option.concealed_tricks|tricks that nobody counts for you}.
`;
