// Log of app events, one sentence each, with live followers.
import type { Clock } from "../../base/clock.ts";
import type { EventDocument } from "../admin/documents.ts";
import { type StateDatabase, textOf } from "./database.ts";

export type NewEvent = Pick<EventDocument, "organisation" | "app" | "kind" | "sentence"> & {
  revision?: string | undefined;
  replica?: string | undefined;
};

/** Number of events kept, enough for weeks. */
const maxEvents = 20_000;
/** Events between two prunings. */
const pruneEvery = 500;

export class EventLog {
  readonly #database: StateDatabase;
  readonly #clock: Clock;
  readonly #listeners = new Set<(event: EventDocument) => void>();
  #written = 0;

  constructor(database: StateDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  add(event: NewEvent): void {
    const { organisation, app, revision, replica, kind, sentence } = event;
    const at = this.#clock.wallMs();
    this.#database.run(
      "INSERT INTO events (at, organisation, app, revision, replica, kind, sentence) VALUES (?,?,?,?,?,?,?)",
      [at, organisation, app, revision ?? null, replica ?? null, kind, sentence],
    );
    this.#written += 1;
    if (this.#written % pruneEvery === 0) this.#prune();
    for (const listener of this.#listeners) {
      listener({ at, organisation, app, revision, replica, kind, sentence });
    }
  }

  /** Lists the newest 1000 events, oldest first. */
  list(query: { organisation?: string; app?: string; sinceMs?: number }): EventDocument[] {
    const { organisation, app, sinceMs = 0 } = query;
    return this.#database
      .all(
        `SELECT * FROM events WHERE at >= ? AND (? IS NULL OR organisation = ?) AND (? IS NULL OR app = ?)
         ORDER BY id DESC LIMIT 1000`,
        [sinceMs, organisation ?? null, organisation ?? null, app ?? null, app ?? null],
      )
      .map((row) => ({
        at: Number(row.at),
        organisation: String(row.organisation),
        app: String(row.app),
        revision: textOf(row.revision),
        replica: textOf(row.replica),
        kind: String(row.kind),
        sentence: String(row.sentence),
      }))
      .reverse();
  }

  /** @returns a function that stops it */
  follow(listener: (event: EventDocument) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #prune(): void {
    this.#database.run("DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ?", [
      maxEvents,
    ]);
  }
}
