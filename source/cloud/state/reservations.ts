// Exclusive resources of replicas, ports and GPUs, recorded before they are used.
import type { StateDatabase } from "./database.ts";

export interface Reservation {
  kind: "port" | "gpu";
  /** Port number or GPU UUID. */
  value: string;
  replica: string;
}

/**
 * Reservations that survive the control plane, so that nothing a running replica holds is given
 * away.
 */
export class Reservations {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  list(): Reservation[] {
    return this.#database
      .all("SELECT kind, value, replica FROM reservations ORDER BY kind, value")
      .map((row) => ({
        kind: row.kind === "gpu" ? "gpu" : "port",
        value: String(row.value),
        replica: String(row.replica),
      }));
  }

  /** @returns false when another replica has it */
  reserve({ kind, value, replica }: Reservation): boolean {
    return this.#database.transaction(() => {
      const other = this.#database.get(
        "SELECT replica FROM reservations WHERE kind = ? AND value = ? AND replica <> ?",
        [kind, value, replica],
      );
      if (other !== undefined) return false;
      this.#database.run(
        "INSERT OR REPLACE INTO reservations (kind, value, replica, share) VALUES (?,?,?,1)",
        [kind, value, replica],
      );
      return true;
    });
  }

  /** Releases everything that a replica holds. */
  release(replica: string): void {
    this.#database.run("DELETE FROM reservations WHERE replica = ?", [replica]);
  }
}
