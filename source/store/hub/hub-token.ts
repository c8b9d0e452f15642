// The user's secret for the hub, wrapped so that no log or error can print it.
import { inspect } from "node:util";

const shown = "[hub token]";

/** Prints as a placeholder; only `authorization` reveals the secret. */
export class HubToken {
  readonly #secret: string;
  /** Where it was found, for messages: `HF_TOKEN`, a file's path. */
  readonly source: string;

  constructor(secret: string, source: string) {
    this.#secret = secret;
    this.source = source;
  }

  /** The value of an `Authorization` header. */
  authorization(): string {
    return `Bearer ${this.#secret}`;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}
