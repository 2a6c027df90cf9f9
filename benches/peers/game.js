// An Estimation of the shape of `squares`: four players, 18 rounds, a call of each player, thirteen tricks.
//
// Both peers' servers run these functions, on plain objects or on the schema of Colyseus. The load driver runs
// them too: it knows the seed of the deals, so it plays legal cards without parsing every push.
'use strict';

const ROUNDS = 18;
const SEATS = 4;
const HAND = 13;
const NO_CALL = -1;

const suit = (card) => Math.floor(card / HAND);

// mulberry32: a small generator of numbers from 0 to 1.
function generator(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

function shuffled(seed) {
    const random = generator(seed);
    const deck = Array.from({ length: SEATS * HAND }, (_, card) => card);
    for (let last = deck.length - 1; last > 0; last -= 1) {
        const other = Math.floor(random() * (last + 1));
        [deck[last], deck[other]] = [deck[other], deck[last]];
    }
    return deck;
}

// A table before its first deal.
function emptyTable() {
    return {
        round: 0,
        phase: 'call',
        toAct: 0,
        leader: 0,
        trump: 0,
        trick: [],
        players: Array.from({ length: SEATS }, () => ({ hand: [], call: NO_CALL, tricks: 0, score: 0 })),
    };
}

// Deals the next round. After the last one, `round` is ROUNDS + 1 and nobody has cards.
function nextRound(table, seed) {
    table.round += 1;
    if (table.round > ROUNDS) {
        table.phase = 'over';
        return;
    }
    const deck = shuffled(seed * 1000 + table.round);
    for (let seat = 0; seat < SEATS; seat += 1) {
        const player = table.players[seat];
        player.call = NO_CALL;
        player.tricks = 0;
        player.hand = deck.slice(seat * HAND, (seat + 1) * HAND).sort((a, b) => a - b);
    }
    table.phase = 'call';
    table.trump = table.round % SEATS;
    table.leader = (table.round - 1) % SEATS;
    table.toAct = table.leader;
}

const calls = (table) => [0, 1, 2, 3].map((seat) => table.players[seat].call);

// The last player's call may not bring the total to 13.
function mayCall(table, seat, call) {
    if (table.phase !== 'call' || table.toAct !== seat) return false;
    if (!Number.isInteger(call) || call < 0 || call > HAND) return false;
    const others = calls(table).filter((other) => other !== NO_CALL);
    return others.length < SEATS - 1 || others.reduce((a, b) => a + b, call) !== HAND;
}

// A player who holds the suit that was led has to follow it.
function mayPlay(table, seat, card) {
    if (table.phase !== 'play' || table.toAct !== seat) return false;
    const { hand } = table.players[seat];
    if (hand.indexOf(card) < 0) return false;
    if (table.trick.length === 0) return true;
    const led = suit(table.trick[0]);
    return suit(card) === led || !hand.some((held) => suit(held) === led);
}

function call(table, seat, number) {
    if (!mayCall(table, seat, number)) return false;
    table.players[seat].call = number;
    const called = calls(table);
    if (called.includes(NO_CALL)) {
        table.toAct = (seat + 1) % SEATS;
    } else {
        // The highest call leads; of equals, the first one.
        const order = [0, 1, 2, 3].map((offset) => (table.leader + offset) % SEATS);
        table.leader = order.reduce((best, other) => (called[other] > called[best] ? other : best));
        table.toAct = table.leader;
        table.phase = 'play';
    }
    return true;
}

function play(table, seat, card, seed) {
    if (!mayPlay(table, seat, card)) return false;
    const { hand } = table.players[seat];
    hand.splice(hand.indexOf(card), 1);
    table.trick.push(card);
    if (table.trick.length < SEATS) {
        table.toAct = (seat + 1) % SEATS;
        return true;
    }
    let best = 0;
    for (let number = 1; number < SEATS; number += 1) {
        const [high, other] = [table.trick[best], table.trick[number]];
        const trumps = suit(other) === table.trump && suit(high) !== table.trump;
        if (trumps || (suit(other) === suit(high) && other > high)) best = number;
    }
    table.leader = (table.leader + best) % SEATS;
    table.toAct = table.leader;
    table.players[table.leader].tricks += 1;
    table.trick.splice(0, SEATS);
    if (hand.length === 0) {
        for (let other = 0; other < SEATS; other += 1) {
            const player = table.players[other];
            const missed = Math.abs(player.call - player.tricks);
            player.score += missed === 0 ? player.tricks + 10 : -missed;
        }
        nextRound(table, seed);
    }
    return true;
}

module.exports = { ROUNDS, SEATS, HAND, call, emptyTable, generator, mayCall, mayPlay, nextRound, play };
