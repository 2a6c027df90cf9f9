// Clients of boardgame.io: the lobby's REST API, and socket.io's protocol over a WebSocket.
//
// socket.io's own client parses each push. This one only looks for the number of the state, so that the driver
// takes little of the machine; the server cannot tell them apart.
'use strict';

const WebSocket = require('ws');
const { SEATS } = require('./game.js');

const NAMESPACE = '/estimation,';
const STATE_ID = '"_stateID":';

module.exports = (url, clients) => {
    const pushes = { count: 0, bytes: 0 };

    async function post(path, body) {
        const answer = await fetch(`${url}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
        });
        if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
        return answer.json();
    }

    // A client that is connected and has received the state of the match as `playerID`.
    function connect(match, playerID, credentials, keeps) {
        const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`, {
            perMessageDeflate: false,
        });
        const client = { seat: Number(playerID), stateID: 0, text: '', awaited: Infinity, arrived: null, socket };
        client.emit = (...message) => socket.send(`42${NAMESPACE}${JSON.stringify(message)}`);
        return new Promise((resolve, reject) => {
            socket.on('error', reject);
            socket.on('message', (data) => {
                const text = data.toString();
                if (text === '2') {
                    socket.send('3');
                } else if (text.startsWith('0{')) {
                    socket.send(`40${NAMESPACE}`);
                } else if (text.startsWith(`40${NAMESPACE}`)) {
                    client.emit('sync', match, playerID, credentials, SEATS);
                } else if (text.startsWith(`42${NAMESPACE}["sync"`)) {
                    resolve(client);
                } else if (text.startsWith(`42${NAMESPACE}["update"`)) {
                    pushes.count += 1;
                    pushes.bytes += data.length;
                    const at = text.indexOf(STATE_ID) + STATE_ID.length;
                    client.stateID = Number.parseInt(text.slice(at, at + 12), 10);
                    if (keeps) client.text = text;
                    if (client.stateID >= client.awaited) {
                        client.awaited = Infinity;
                        client.arrived();
                    }
                }
            });
        });
    }

    async function open(seed, keeps) {
        const { matchID } = await post('/games/estimation/create', { numPlayers: SEATS, setupData: { seed } });
        const seats = [];
        for (let seat = 0; seat < SEATS; seat += 1) {
            const joined = await post(`/games/estimation/${matchID}/join`, {
                playerID: String(seat),
                playerName: `player ${seat}`,
            });
            seats.push(joined.playerCredentials);
        }
        const connected = [];
        for (let seat = 0; seat < clients; seat += 1) {
            connected.push(await connect(matchID, String(seat), seats[seat], keeps));
        }
        const of = (seat) => connected[seat % clients];
        return {
            // Sends a move of a seat; waits until the sending client has the state with the number `sent`.
            send(seat, type, value, sent) {
                const client = of(seat);
                const playerID = String(seat);
                const payload = { type, args: [value], playerID, credentials: seats[seat] };
                return new Promise((resolve) => {
                    client.awaited = sent;
                    client.arrived = resolve;
                    client.emit('update', { type: 'MAKE_MOVE', payload }, sent - 1, matchID, playerID);
                });
            },
            seen(seat) {
                const client = of(seat);
                const [, , state] = JSON.parse(client.text.slice(`42${NAMESPACE}`.length));
                return { seat: client.seat, state: state.G };
            },
            async close() {
                for (const client of connected) client.socket.close();
            },
        };
    }

    return { open, pushes };
};
