// A mail server that takes every mail (RFC 5321), for servers that a test starts.

import { createServer } from "node:net";

const mails = [];

/** The words of a mail, which is encoded in one of two ways. */
function text(mail) {
  const [head, ...body] = mail.split("\n\n");
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(body.join(""), "base64").toString();
  return mail.replaceAll("=\n", "").replaceAll("=3D", "=");
}

let heard = () => {};
const server = createServer((socket) => {
  let [rest, mail] = ["", null];
  socket.write("220 test\r\n");
  socket.on("data", (piece) => {
    rest += piece;
    for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      if (mail !== null && line !== ".") {
        mail.push(line);
      } else if (mail !== null) {
        mails.push(text(mail.join("\n")));
        mail = null;
        socket.write("250 kept\r\n");
        heard();
      } else if (line === "DATA") {
        mail = [];
        socket.write("354 go on\r\n");
      } else {
        socket.write(line === "QUIT" ? "221 bye\r\n" : "250 yes\r\n");
      }
    }
  });
  socket.on("error", () => {});
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

/** The flags of a program that sends its mails here. */
export const mailFlags = ["--smtp-url", `smtp://127.0.0.1:${server.address().port}`, "--mail-from", "Estimation <cards@example.org>"];

/** The link of the next mail for a purpose, such as `reset`; other mails before it are forgotten. */
export async function linkTo(purpose) {
  for (;;) {
    while (mails.length === 0) await new Promise((resolve) => (heard = resolve));
    const [link] = new RegExp(`https?://\\S+#${purpose}=\\S+`).exec(mails.shift()) ?? [];
    if (link) return link;
  }
}

export const closeMailbox = () => server.close();
