// Reports truncation of a conversation in a header, for proxies and logs.
import type { FastifyReply } from "fastify";
import type { Truncation } from "../../engine/request.ts";

/** Does nothing once the reply has begun; its last record reports it too. */
export function announceTruncation(reply: FastifyReply, { messages, tokens }: Truncation): void {
  if (reply.sent) return;
  reply.header("x-modelctl-truncated", `messages=${messages}, tokens=${tokens}`);
}
