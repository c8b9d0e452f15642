// Fair queueing: clients take turns, however many requests one of them sends.
import type { GenerationRequest } from "./generation.ts";

interface Waiting {
  readonly request: Pick<GenerationRequest, "client">;
}

/**
 * Inserts a request before those whose clients have had, or will have had, more turns by then;
 * otherwise at the end. Requests of one client stay in order.
 *
 * @param running requests that are being served
 */
export function joinQueue<Job extends Waiting>(
  queue: Job[],
  joining: Job,
  running: readonly Waiting[],
): void {
  const turns = new Map<string | undefined, number>();
  /** Returns the number of turns that the request's client has before this one. */
  const takeTurn = ({ request: { client } }: Waiting) => {
    const before = turns.get(client) ?? 0;
    turns.set(client, before + 1);
    return before;
  };
  for (const job of running) takeTurn(job);
  const before = queue.map(takeTurn);
  const own = takeTurn(joining);
  const place = before.findIndex((turn) => turn > own);
  queue.splice(place < 0 ? queue.length : place, 0, joining);
}
