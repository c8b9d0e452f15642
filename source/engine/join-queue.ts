// Where a request joins those that wait: clients take turns, however many requests one of them sends.
import type { GenerationRequest } from "./generation.ts";

interface Waiting {
  readonly request: Pick<GenerationRequest, "client">;
}

/**
 * Puts a request before those whose clients have had, or will have had, more turns by then; otherwise
 * at the end. Those of one client stay in their order.
 *
 * @param running those that have their turn now
 */
export function joinQueue<Job extends Waiting>(
  queue: Job[],
  joining: Job,
  running: readonly Waiting[],
): void {
  const turns = new Map<string | undefined, number>();
  /** How many turns its client has before this one. */
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
