// English: the rules of `plain`, as a person tells them at a table.

export default `
# Plain

Say how many tricks you will take, then take exactly that many. This is the simplest way to play: you win the tricks you
promised, and nothing else is added.

## The table

Four people play, each alone, with 52 cards. The deal and the play go counter-clockwise: after you comes the player on your
right. A game has 18 hands, a short one 5. The highest total wins, and a total may fall below zero.

Before the first hand everybody {draw|draws a card}. The highest card chooses a seat first, and that seat deals the first hand.
Before each deal the player on the dealer’s right {cut|cuts} the pack. Everybody gets 13 cards. The next hand is dealt by the
next seat.

## Tricks

A {trick|trick} is one card from each player. Who {lead|leads} may play any card. The others must {follow|follow} its suit if
they can. If they cannot, they may play anything. The highest card of the suit that was led takes the trick, unless somebody
played a {trump|trump}: then the highest trump takes it. The winner leads the next trick. Cards go from 2, the lowest, to the
ace, the highest.

## Calls: hands 1 to 13

- **The bids.** Everybody speaks once. The dealer’s right begins, and then it goes *clockwise*: the dealer, the dealer’s left,
  the player opposite. You make a {bid|bid}, a number from 4 to 13 with the suit that you want as trump, or with no trump. Or you
  make a {dash_call|dash call}: “I will take none”. At most two may do that. You need not go higher than the bids before you, and
  there is no passing: with a weak hand you bid 4 clubs or dash-call.
- **The winner** is the highest number. If two are equal, the {suit_rank|suit} decides: clubs, diamonds, hearts, spades, no trump,
  from low to high. If the suit is equal too, the earlier bid wins. The winner is the {declarer|declarer}: the bid is the call,
  and its suit is trump.
- **The estimates.** From the declarer’s left, clockwise again, everybody who did not dash-call says a number from 0 to the
  declarer’s bid. That number is the {call|call} to which they are bound. What they bid before is forgotten.

Here the four calls may add up to anything, to 13 too.

## Calls: hands 14 to 18

Nobody bids. Trump is no trump in hand 14, then spades, hearts, diamonds, clubs. Everybody says a number from 0 to 13, clockwise
from the dealer’s right.

## The first card

The player on the dealer’s right leads the first trick of every hand, whoever declared.

## The score

| You took … | Points |
| as many as you called | your tricks |
| more or fewer | minus the difference |

Call 5 and take 5: 5 points. Call 5 and take 3, or 7: −2. A {dash|zero} that you make is worth 0, so it wins nothing and loses
nothing.

## An example

Hand 3. Sara sits on the dealer’s right and bids 5 ♥. Omar bids 5 ♠, Mona 4 ♣, Ali 4 ♦. Two bids are 5, and spades are above
hearts: Omar declares, and spades are trump. From his left Mona says 4, Ali 2, Sara 3. They play the hand.

| Player | Call | Tricks | Points | Why |
| Mona | 4 | 4 | 4 | made: her tricks |
| Omar | 5 | 6 | −1 | one too many |
| Sara | 3 | 2 | −1 | one too few |
| Ali | 2 | 1 | −1 | one too few |

## What tables change

The host can choose these before the game, and the table shows them:
{option.length|length}, {option.seating|seats without a draw}, {option.cut|no cut},
{option.bid_direction|bids counter-clockwise}, {option.first_lead|the declarer leads first}, {option.allow_pass|passing},
{option.minimum_bid|another lowest bid}, {option.no_trump_bids|no bids without trump}, {option.dash_limit|three dash calls},
{option.forbid_thirteen|no total of 13}, {option.concealed_tricks|tricks that nobody counts for you}.
`;
