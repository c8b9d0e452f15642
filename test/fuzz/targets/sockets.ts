// Invalid and pipelined requests on the server's socket.
import { conversationOf } from "../http-bytes.ts";
import { converse } from "../raw-socket.ts";
import { checkReply, ServerUnderAttack } from "../server-under-attack.ts";
import type { Target } from "../target.ts";

const paths = [
  "/",
  "/api/version",
  "/v1/models",
  "/api/show",
  "/api/chat",
  "*",
  "//",
  "/%",
  "/../x",
];
const atOnce = 8;

export const sockets: Target = {
  name: "sockets",
  rounds: 200,
  async begin() {
    const server = await ServerUnderAttack.start();
    const { host } = new URL(server.url);
    return {
      async round({ dice, trying }) {
        const conversations = dice.times(atOnce, () => conversationOf(dice, host, paths));
        for (const { pieces } of conversations) {
          trying(`bytes to the socket, base64 ${Buffer.concat(pieces).toString("base64")}`);
        }
        const replies = await Promise.all(conversations.map((each) => converse(server.url, each)));
        for (const text of replies) checkReplies(text);
        await server.checkIsWell();
      },
      size: async () => server.size(),
      close: async () => await server.close(),
    };
  },
};

/** Returns all bytes of one connection. @throws Error for a reply that shows a defect */
export function checkReplies(text: string): void {
  for (const reply of text.split(/(?=HTTP\/1\.1 \d{3} )/)) {
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(reply)?.[1] ?? 0);
    // The body may be missing after HEAD.
    if (status >= 500 && reply.includes("\r\n\r\n{")) checkReply({ status, text: reply });
  }
}
