// Clients of Colyseus: its own SDK joins the rooms.
//
// The SDK applies each patch to a copy of the state. Only table 0 does that, to be checked. The other clients
// count the patches, so that the driver takes little of the machine; the server cannot tell them apart.
'use strict';

const { Client } = require('@colyseus/sdk');
const { SEATS } = require('./game.js');

// The protocol's code of a patch, without the bits of its modifiers.
const PATCH = 15;
const CODE = 0x3f;

module.exports = (url, clients) => {
    if (clients !== SEATS) throw new Error('each player of Colyseus is a client');
    const sdk = new Client(url.replace('http', 'ws'));
    const pushes = { count: 0, bytes: 0 };

    // Counts a room's patches; the first one brings the deal.
    function listen(room, decodes) {
        const client = { room, patches: -1, awaited: Infinity, arrived: null };
        const { events } = room.connection;
        const decode = events.onmessage;
        events.onmessage = (event) => {
            const bytes = new Uint8Array(event.data);
            const isPatch = (bytes[0] & CODE) === PATCH;
            if (decodes || !isPatch) decode(event);
            if (!isPatch) return;
            pushes.count += 1;
            pushes.bytes += bytes.length;
            client.patches += 1;
            if (client.patches >= client.awaited) {
                client.awaited = Infinity;
                client.arrived();
            }
        };
        room.onMessage('refused', (value) => {
            throw new Error(`the server refused ${value}`);
        });
        return client;
    }

    const arrival = (client, number) =>
        new Promise((resolve) => {
            client.awaited = number;
            client.arrived = resolve;
            if (client.patches >= number) resolve();
        });

    async function open(seed, decodes) {
        const first = await sdk.create('estimation', { seed });
        const connected = [listen(first, decodes)];
        while (connected.length < SEATS) {
            connected.push(listen(await sdk.joinById(first.roomId), decodes));
        }
        const dealt = connected.map((client) => arrival(client, 0));
        for (const client of connected) client.room.send('ready');
        await Promise.all(dealt);
        return {
            // Sends a move of a seat; waits until its client has as many patches as there were moves.
            send(seat, kind, value, sent) {
                const client = connected[seat];
                const arrived = arrival(client, sent);
                client.room.send(kind, value);
                return arrived;
            },
            seen: (seat) => ({ seat, state: connected[seat].room.state }),
            async close() {
                await Promise.all(connected.map((client) => client.room.leave()));
            },
        };
    }

    return { open, pushes };
};
