// Warnings of a request: sent to its client in a header, and kept in the server's log and the
// request's record.
import type { FastifyReply } from "fastify";
import type { ServerDependencies } from "./dependencies.ts";

/** Header with the sentences, unless a warning has one of its own. */
export const warningHeader = "x-modelctl-warning";

/**
 * Warns that a request is not served exactly as it asked. The same sentence is said once.
 *
 * @param sentence for people; texts of the client must be short in it
 * @param header for programs, if they need more than the sentence
 */
export type Warn = (sentence: string, header?: readonly [name: string, value: string]) => void;

/**
 * Returns the function that warns of one request. A reply that has begun gets no header: streams of
 * our own API carry the event instead.
 */
export function warningsOf(
  { requestLog, log }: Pick<ServerDependencies, "requestLog" | "log">,
  reply: FastifyReply,
): Warn {
  const { record } = reply.request;
  return (sentence, [name, value] = [warningHeader, sentence]) => {
    const said = record?.warnings ?? [];
    if (said.includes(sentence)) return;
    if (record !== undefined) requestLog.update(record, { warnings: [...said, sentence] });
    log(record === undefined ? sentence : `${record.id}: ${sentence}`);
    if (reply.sent) return;
    const before = reply.getHeader(name);
    reply.header(name, [...(before === undefined ? [] : [before].flat()), plainAscii(value)]);
  };
}

/** Headers hold no other characters; the record has the sentence as it is. */
function plainAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, "?");
}
