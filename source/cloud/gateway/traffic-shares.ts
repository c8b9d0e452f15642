// Revision of each request while an app's traffic is split between two.
import { placeOf } from "./choose-replica.ts";
import type { ServingReplica } from "./conversations.ts";
import type { RoutedApp, RoutedCandidate } from "./traffic.ts";
import type { Waiter } from "./waiting-queue.ts";

/** Facts about an app with split traffic. */
export interface SharedTraffic {
  /** The active revision. */
  active: string;
  candidate: RoutedCandidate;
}

/** Returns undefined for an app whose active revision gets all traffic. */
export function sharedTraffic({ revision, candidate }: RoutedApp): SharedTraffic | undefined {
  if (revision === undefined || candidate === undefined) return undefined;
  return { active: revision, candidate };
}

export class TrafficShares {
  /** Requests without a conversation add the candidate's percentage; it gets one at 100. */
  #credit = 50;

  /**
   * Draws the revision of a request, the same for each turn of a conversation.
   *
   * @param served replica that served the conversation last; undefined for a new or forgotten one
   */
  draw(
    { affinity, conversation }: Pick<Waiter, "affinity" | "conversation">,
    { active, candidate }: SharedTraffic,
    served: ServingReplica | undefined,
  ): string {
    const { revision, percent } = candidate;
    // A share that changes does not move a conversation.
    if (served?.revision === active || served?.revision === revision) return served.revision;
    const text = affinity ?? conversation?.digest;
    if (text !== undefined) return placeOf(text, revision) < percent ? revision : active;
    this.#credit += percent;
    if (this.#credit < 100) return active;
    this.#credit -= 100;
    return revision;
  }
}
