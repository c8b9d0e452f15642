// Memory of which replica served a conversation, so that its next turn finds its prompt in that replica's cache.
import { hash } from "node:crypto";
import { isRecord } from "../../base/json.ts";

/** Conversation of a request, identified by its beginning. */
export interface Conversation {
  digest: string;
  /** True for a first turn, whose prompt is in no replica's cache. */
  isNew: boolean;
}

/** Conversations remembered for an app; one takes about 150 bytes. */
const maxConversations = 10_000;
/** Characters that identify a prompt without messages. Shorter prompts are not remembered, since they are read quickly. */
const promptCharacters = 1024;

/**
 * Returns the conversation of a request's body: its model, what precedes the first user's turn, and that turn.
 *
 * @param caller organisation of the caller; others never share a digest with it
 * @returns undefined for a body that is not JSON, or without messages and without a long prompt
 */
export function readConversation(body: Buffer, caller: string): Conversation | undefined {
  try {
    const request: unknown = body[0] === braceCode ? JSON.parse(body.toString("utf8")) : undefined;
    if (!isRecord(request)) return undefined;
    const { model, system, instructions, messages, input, prompt } = request;
    const turns = Array.isArray(messages) ? messages : input;
    if (Array.isArray(turns)) {
      const first = turns.findIndex((turn) => isRecord(turn) && turn.role === "user");
      if (first === -1) return undefined;
      const beginning = [caller, model, system, instructions, turns.slice(0, first + 1)];
      return { digest: digestOf(beginning), isNew: turns.length === first + 1 };
    }
    if (typeof prompt !== "string" || prompt.length < promptCharacters) return undefined;
    const digest = digestOf([caller, model, system, prompt.slice(0, promptCharacters)]);
    return { digest, isNew: false };
  } catch {
    return undefined; // The replica refuses it.
  }
}

const braceCode = "{".charCodeAt(0);

function digestOf(beginning: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(beginning), "base64");
}

/** Replica that served a conversation. */
export interface ServingReplica {
  replica: string;
  revision: string;
}

/** Replicas that served the conversations of one app. */
export class ServedConversations {
  /** Replicas by digest, the conversation used last at the end. */
  readonly #replicas = new Map<string, ServingReplica>();
  readonly #max: number;

  constructor(max: number = maxConversations) {
    this.#max = max;
  }

  /** Returns the replica that served the conversation last; undefined for a new or forgotten one. */
  replicaOf({ digest, isNew }: Conversation): ServingReplica | undefined {
    return isNew ? undefined : this.#replicas.get(digest);
  }

  note({ digest }: Conversation, { replica, revision }: ServingReplica): void {
    this.#replicas.delete(digest);
    this.#replicas.set(digest, { replica, revision });
    const [oldest] = this.#replicas.keys();
    if (this.#replicas.size > this.#max && oldest !== undefined) this.#replicas.delete(oldest);
  }
}
