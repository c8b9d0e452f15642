// The last lists of models that an app's replicas gave, for those who ask while it sleeps.
import type { RoutedApp } from "./traffic.ts";

/** All that is kept of one app. */
export const mostKeptBytes = 2 ** 20;

export interface KeptReply {
  /** Name, value, name, value. */
  headers: readonly string[];
  body: Buffer;
  /** Monotonic. */
  keptAt: number;
  /** What the replica's `Vary` names, as the request had it. */
  varied: ReadonlyMap<string, string | undefined>;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Of one app and its present revision. Replicas may answer each organisation in its own way, so
 * each has a list of its own; callers of a public app are strangers, and have one together.
 */
export class KeptModels {
  /** Undefined: nothing is kept. */
  #revision: string | undefined;
  /** The last one kept comes last. */
  readonly #replies = new Map<string | undefined, KeptReply>();

  /** The app is published: what is not of its present revision is forgotten. */
  update({ revision, state, modelsCache }: RoutedApp): void {
    const wanted = modelsCache === true && state !== "deleted" ? revision : undefined;
    if (wanted !== this.#revision) this.#replies.clear();
    this.#revision = wanted;
  }

  find(organisation: string | undefined, headers: RequestHeaders): KeptReply | undefined {
    const reply = this.#replies.get(organisation);
    if (reply === undefined) return undefined;
    const fits = [...reply.varied].every(([name, value]) => textOfAll(headers[name]) === value);
    return fits ? reply : undefined;
  }

  /** What is too large is not kept, nor what a replica of another revision says. */
  keep(organisation: string | undefined, revision: string, reply: KeptReply): void {
    if (revision !== this.#revision) return;
    this.#replies.delete(organisation);
    if (reply.body.length > mostKeptBytes) return;
    this.#replies.set(organisation, reply);
    let bytes = 0;
    for (const { body } of this.#replies.values()) bytes += body.length;
    for (const [oldest, { body }] of this.#replies) {
      if (bytes <= mostKeptBytes) break;
      this.#replies.delete(oldest);
      bytes -= body.length;
    }
  }
}

export function textOfAll(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}
