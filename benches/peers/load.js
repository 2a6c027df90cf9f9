// node load.js PEER URL --tables N --clients N --warm-up SECONDS --seconds SECONDS
//
// Plays at N tables in a closed loop, as `drive` does, and prints a report with the members that bench.sh reads.
// A command is answered when the client that sent it has received the state after it. Table 0 is checked: each
// state that its clients receive has to be the one of the rules.
'use strict';

const net = require('node:net');
const { parseArgs } = require('node:util');
const rules = require('./game.js');

const peers = { 'boardgame.io': './load-boardgame.io.js', colyseus: './load-colyseus.js' };
const STALLED_MS = 10_000;

const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        tables: { type: 'string', default: '64' },
        clients: { type: 'string', default: '4' },
        'warm-up': { type: 'string', default: '5' },
        seconds: { type: 'string', default: '15' },
    },
});
const [name, url] = positionals;
const peer = require(peers[name])(url, Number(values.clients));
const tables = Number(values.tables);
const warmUp = Number(values['warm-up']) * 1000;
const length = Number(values.seconds) * 1000;

// The bytes of all sockets, with the heads and frames of HTTP and of WebSockets.
const sockets = new Set();
let closedBytes = 0;
const bytesOf = (socket) => socket.bytesRead + socket.bytesWritten;
const wireBytes = () => [...sockets].reduce((sum, socket) => sum + bytesOf(socket), closedBytes);
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function counted(...args) {
    sockets.add(this);
    this.once('close', () => {
        sockets.delete(this);
        closedBytes += bytesOf(this);
    });
    return connect.apply(this, args);
};

const random = rules.generator(1);
const latencies = [];
let begins = Infinity;
let accepted = 0;

const isOver = () => performance.now() >= begins + warmUp + length;
const counts = (at) => at >= begins + warmUp && at < begins + warmUp + length;

// A legal command: calls of about three, and any legal card.
function choose(model) {
    const seat = model.toAct;
    if (model.phase === 'call') {
        let call = 1 + Math.floor(random() * 5);
        while (!rules.mayCall(model, seat, call)) call += 1;
        return ['call', call];
    }
    const legal = model.players[seat].hand.filter((card) => rules.mayPlay(model, seat, card));
    return ['play', legal[Math.floor(random() * legal.length)]];
}

async function playGame(number, game, ready) {
    const seed = game * tables + number;
    const model = rules.emptyTable();
    rules.nextRound(model, seed);
    const table = await peer.open(seed, number === 0);
    await ready();
    for (let sent = 1; model.round <= rules.ROUNDS && !isOver(); sent += 1) {
        const seat = model.toAct;
        const [kind, value] = choose(model);
        rules[kind](model, seat, value, seed);
        const at = performance.now();
        await table.send(seat, kind, value, sent);
        accepted += 1;
        if (counts(at)) latencies.push(performance.now() - at);
        if (number === 0) check(table.seen(seat), model);
    }
    if (!isOver()) await table.close();
}

// Compares what a client sees with the rules: the public part, its own cards, and that the others are hidden.
function check({ seat, state }, model) {
    const view = (table, cards) => ({
        public: ['round', 'phase', 'toAct', 'leader', 'trump'].map((field) => table[field]),
        trick: [...table.trick],
        players: [0, 1, 2, 3].map((other) => {
            const { call, tricks, score, hand } = table.players[other];
            return [call, tricks, score, cards(other, hand)];
        }),
    });
    const seen = view(state, (_, hand) => (typeof hand?.[Symbol.iterator] === 'function' ? [...hand] : []));
    const right = view(model, (other, hand) => (other === seat ? hand : []));
    if (JSON.stringify(seen) !== JSON.stringify(right)) {
        throw new Error(`the client of seat ${seat} sees ${JSON.stringify(seen)} and not ${JSON.stringify(right)}`);
    }
}

function percentiles(sorted) {
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

// For callers at an even rate: those who would have come during a long call waited too.
function corrected(sorted, interval) {
    const all = [...sorted];
    for (const latency of sorted) {
        for (let missed = latency - interval; missed >= interval; missed -= interval) all.push(missed);
    }
    return percentiles(all.sort((a, b) => a - b));
}

async function main() {
    let waiting = tables;
    let start;
    const started = new Promise((resolve) => (start = resolve));
    const ready = () => {
        waiting -= 1;
        if (waiting === 0) {
            begins = performance.now();
            start();
        }
        return started;
    };
    const playing = Array.from({ length: tables }, async (_, number) => {
        for (let game = 0; !isOver(); game += 1) await playGame(number, game, game === 0 ? ready : () => {});
    });
    let before = -1;
    const watch = setInterval(() => {
        if (accepted === before) throw new Error(`no command was answered for ${STALLED_MS} ms`);
        before = accepted;
    }, STALLED_MS);
    const measured = started.then(async () => {
        await new Promise((resolve) => setTimeout(resolve, warmUp));
        const [from, busy, pushes] = [performance.now(), process.cpuUsage(), { ...peer.pushes }];
        const wire = wireBytes();
        await new Promise((resolve) => setTimeout(resolve, length));
        const { user, system } = process.cpuUsage(busy);
        const took = performance.now() - from;
        return {
            driver_cpu_share: (user + system) / 1000 / took,
            pushes: peer.pushes.count - pushes.count,
            push_bytes: peer.pushes.bytes - pushes.bytes,
            wire_bytes: wireBytes() - wire,
        };
    });
    const [report] = await Promise.all([measured, ...playing]);
    clearInterval(watch);
    const sorted = latencies.sort((a, b) => a - b);
    const interval = (length * tables) / Math.max(1, sorted.length);
    const done = {
        peer: name,
        concurrency: tables,
        clients: Number(values.clients),
        commands: sorted.length,
        seconds: length / 1000,
        commands_per_second: sorted.length / (length / 1000),
        latency_ms: percentiles(sorted),
        corrected_latency_ms: corrected(sorted, interval),
        bytes_per_command: report.wire_bytes / Math.max(1, sorted.length),
        ...report,
    };
    process.stdout.write(`${JSON.stringify(done)}\n`, () => process.exit(0));
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
