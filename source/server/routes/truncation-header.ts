// Tells in a header what was left out of a conversation: proxies and logs see those.
import type { FastifyReply } from "fastify";
import type { Truncation } from "../../engine/request.ts";

/** Does nothing once the reply has begun: its last record tells it too. */
export function announceTruncation(reply: FastifyReply, { messages, tokens }: Truncation): void {
  if (reply.sent) return;
  reply.header("x-modelctl-truncated", `messages=${messages}, tokens=${tokens}`);
}
