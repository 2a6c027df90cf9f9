// English: the rules of `nineteen`, as a person tells them at a table.

export default `
# Nineteen

Nineteen short turns: one card each, then two, up to ten, and back down to one. You say how many tricks you will take. Points are
penalties, and who has the fewest wins.

## The table

Two to five people play, each alone. Everything goes clockwise: after you comes the player on your left. The pack has ten cards
for each player and one more, the highest ones:

| Players | Cards in the pack |
| 2 | aces down to tens, and 9 ♥ |
| 3 | aces down to eights, and 7 ♥ 7 ♦ 7 ♣ |
| 4 | aces down to fives, and 4 ♥ |
| 5 | all but 2 ♠ |

In turn 1 everybody gets one card, in turn 2 two, in turn 10 ten. Then it goes down again, to one card in turn 19. The deal moves
to the next player every turn.

## Trump

After the deal the next card is turned up. It is the {indicator|indicator}: its suit is {trump|trump} in this turn. The card
itself belongs to nobody. The rest of the pack stays face down.

## Your number

The player on the dealer’s left speaks first, and the dealer last. Everybody says one number, from 0 to the number of cards in
the hand. It is your {call|call}, and you cannot change it.

**The dealer may not make it fit.** All numbers together must not equal the number of cards, so somebody will miss. With
five cards and 1, 3 and 0 said before, the dealer may say anything but 1. If the others are above five already, the dealer is
free.

## Play

The player after the first speaker {lead|leads} the first {trick|trick}: the second one after the dealer. With two players that
is the dealer. The others must {follow|follow} the suit if they can; if they cannot, they may play anything, a trump too. The
highest trump takes the trick; without one, the highest card of the suit that was led. The winner leads the next trick.

## The score

| You took … | Penalty |
| exactly your number | 0 |
| more or fewer | the number of cards, plus the larger of your number and your tricks |

With five cards: say 3 and take 1, and you get 5 + 3 = 8. Say 1 and take 2, and you get 5 + 2 = 7. To miss by one costs nearly as
much as to miss by three: be exact.

## An example

Turn 2, two cards each. Omar deals, and K ♥ is turned up: hearts are trump. Sara says 0, Ali 1, Mona 0. That makes 1. Omar may
not say 1, because the total would be 2. He says 2. Ali, the second after the dealer, leads A ♦. Mona follows with J ♦. Omar has
no diamond and plays Q ♥, a trump. Sara has no diamond either and plays 10 ♣. Omar takes the trick and leads 10 ♠: 9 ♠, A ♣, 9 ♣.
He takes this one too, because nobody has a higher spade or a trump.

| Player | Said | Tricks | Penalty | Why |
| Mona | 0 | 0 | 0 | exact |
| Omar | 2 | 2 | 0 | exact |
| Sara | 0 | 0 | 0 | exact |
| Ali | 1 | 0 | 3 | 2 cards + 1 |

## What tables change

The host can choose these before the game, and the table shows them: {option.order|ten cards first},
{option.jokers|one or two jokers} as the highest trumps, {option.revokes|a penalty for not following suit},
{option.concealed_tricks|tricks that nobody counts for you}.
`;
