"""A mail server for the tests: prints its port, then each mail as a line of JSON. With a certificate and a key as arguments, it
speaks TLS. It refuses mails to addresses that begin with `refused`, for good, and says `later` to those that begin with `later`.
"""

import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP


class Keeper:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refused"):
            return "550 no such mailbox"
        if address.startswith("later"):
            return "451 try again"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        mail = {
            "to": envelope.rcpt_tos,
            "from": str(message["from"]),
            "subject": str(message["subject"]),
            "text": message.get_content(),
            "encrypted": server.transport.get_extra_info("sslcontext") is not None,
        }
        print(json.dumps(mail), flush=True)
        return "250 OK"


async def main():
    context = None
    if len(sys.argv) > 1:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Keeper(), hostname="localhost"), "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    # Until the test ends it.
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
