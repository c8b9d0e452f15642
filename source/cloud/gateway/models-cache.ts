// Cache of the model lists of an app's replicas, used while the app sleeps.
import type { RoutedApp } from "./traffic.ts";

/** Maximum bytes cached for one app. */
export const maxCachedBytes = 2 ** 20;

export interface CachedReply {
  /** Name, value, name, value. */
  headers: readonly string[];
  body: Buffer;
  /** Monotonic milliseconds. */
  cachedAt: number;
  /** Request headers named in the replica's `Vary`. */
  varied: ReadonlyMap<string, string | undefined>;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Cache of one app's active revision. Each organisation has an entry of its own, since replicas may
 * answer them differently; callers of a public app without a key share one.
 */
export class ModelsCache {
  /** Undefined if nothing is cached. */
  #revision: string | undefined;
  /** Ordered from oldest to newest. */
  readonly #replies = new Map<string | undefined, CachedReply>();

  /** Clears the cache when the revision changes. */
  update({ revision, state, modelsCache }: RoutedApp): void {
    const wanted = modelsCache === true && state !== "deleted" ? revision : undefined;
    if (wanted !== this.#revision) this.#replies.clear();
    this.#revision = wanted;
  }

  find(organisation: string | undefined, headers: RequestHeaders): CachedReply | undefined {
    const reply = this.#replies.get(organisation);
    if (reply === undefined) return undefined;
    const fits = [...reply.varied].every(([name, value]) => textOfAll(headers[name]) === value);
    return fits ? reply : undefined;
  }

  /** Ignores replies that are too large or from another revision. */
  keep(organisation: string | undefined, revision: string, reply: CachedReply): void {
    if (revision !== this.#revision) return;
    this.#replies.delete(organisation);
    if (reply.body.length > maxCachedBytes) return;
    this.#replies.set(organisation, reply);
    let bytes = 0;
    for (const { body } of this.#replies.values()) bytes += body.length;
    for (const [oldest, { body }] of this.#replies) {
      if (bytes <= maxCachedBytes) break;
      this.#replies.delete(oldest);
      bytes -= body.length;
    }
  }
}

export function textOfAll(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}
