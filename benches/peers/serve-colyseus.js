// A Colyseus server with its rooms in memory. Prints where it listens.
'use strict';

const { Room, Server } = require('@colyseus/core');
const { StateView, schema, t } = require('@colyseus/schema');
const { WebSocketTransport } = require('@colyseus/ws-transport');
const rules = require('./game.js');

const Player = schema(
    // Only players with the view see the cards.
    { hand: t.array('uint8').view(), call: t.int8(), tricks: t.uint8(), score: t.int16() },
    'Player',
);
const Table = schema(
    {
        round: t.uint8(),
        phase: t.string(),
        toAct: t.uint8(),
        leader: t.uint8(),
        trump: t.uint8(),
        trick: t.array('uint8'),
        players: t.array(Player),
    },
    'Table',
);

function emptyTable() {
    const { players, trick, ...plain } = rules.emptyTable();
    const table = new Table();
    Object.assign(table, plain);
    for (const { call, tricks, score } of players) {
        const player = new Player();
        Object.assign(player, { call, tricks, score });
        table.players.push(player);
    }
    return table;
}

class Estimation extends Room {
    maxClients = rules.SEATS;
    // A patch follows each command at once, instead of all commands 20 times a second.
    patchRate = null;

    onCreate({ seed }) {
        this.seed = seed;
        this.seats = new Map();
        this.ready = 0;
        this.setState(emptyTable());
        this.onMessage('ready', () => this.deal());
        this.onMessage('call', (client, number) => this.move(client, rules.call, number));
        this.onMessage('play', (client, card) => this.move(client, rules.play, card));
    }

    onJoin(client) {
        const seat = this.seats.size;
        this.seats.set(client.sessionId, seat);
        client.view = new StateView();
    }

    // Deals when all four players are there.
    deal() {
        this.ready += 1;
        if (this.ready < rules.SEATS) return;
        rules.nextRound(this.state, this.seed);
        this.update();
    }

    move(client, rule, value) {
        if (rule(this.state, this.seats.get(client.sessionId), value, this.seed)) {
            this.update();
        } else {
            client.send('refused', value);
        }
    }

    // Sends what changed. A new hand is shown to its player.
    update() {
        if (this.state.round !== this.shown) {
            this.shown = this.state.round;
            for (const client of this.clients) {
                client.view.add(this.state.players[this.seats.get(client.sessionId)]);
            }
        }
        this.broadcastPatch();
    }
}

const transport = new WebSocketTransport();
const server = new Server({ transport, greet: false });
server.define('estimation', Estimation);
server.listen(0, '127.0.0.1').then(() => {
    console.log(`colyseus listens on http://127.0.0.1:${transport.server.address().port}`);
});
