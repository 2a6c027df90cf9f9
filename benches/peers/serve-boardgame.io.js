// A boardgame.io server with its storage in memory. Prints where it listens.
'use strict';

const { Server } = require('boardgame.io/server');
const { INVALID_MOVE } = require('boardgame.io/core');
const rules = require('./game.js');

const move = (rule) => ({ G, playerID }, value) => {
    if (!rule(G, Number(playerID), value, G.seed)) return INVALID_MOVE;
};

const estimation = {
    name: 'estimation',
    minPlayers: rules.SEATS,
    maxPlayers: rules.SEATS,
    disableUndo: true,
    validateSetupData: (data) => (Number.isInteger(data?.seed) ? undefined : 'a seed is missing'),
    setup: (_, { seed }) => {
        const table = { ...rules.emptyTable(), seed };
        rules.nextRound(table, seed);
        return table;
    },
    moves: { call: move(rules.call), play: move(rules.play) },
    turn: {
        minMoves: 1,
        maxMoves: 1,
        order: { first: ({ G }) => G.toAct, next: ({ G }) => G.toAct },
    },
    // Only a player's own cards; of the others, how many they hold.
    playerView: ({ G, playerID }) => {
        const { seed, ...table } = G;
        const seen = (player, seat) =>
            String(seat) === playerID ? player : { ...player, hand: player.hand.length };
        return { ...table, players: G.players.map(seen) };
    },
    endIf: ({ G }) => (G.round > rules.ROUNDS ? { scores: G.players.map((player) => player.score) } : undefined),
};

const server = Server({ games: [estimation], origins: [/^http:\/\/127\.0\.0\.1/] });
// It has no setting for the address, and would listen on all of them.
const { app } = server;
const listen = app.listen.bind(app);
app.listen = (port, callback) => listen(port, '127.0.0.1', callback);
server.run({ port: 0 }).then(({ appServer }) => {
    console.log(`boardgame.io listens on http://127.0.0.1:${appServer.address().port}`);
});
