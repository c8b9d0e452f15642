// Exclusive resources of replicas, ports and GPUs, recorded before they are used.
import type { StateDatabase } from "./database.ts";

export type ReservationKind = "port" | "gpu";

export interface Reservation {
  kind: ReservationKind;
  /** Port number or GPU UUID. */
  value: string;
  replica: string;
  /** Share of the resource, 0..1; 1 for a port. */
  share: number;
}

/**
 * Reservations that survive the control plane, so that nothing a running replica holds is given
 * away.
 */
export interface Reservations {
  list(): Reservation[];
  /** @returns false when the share is not free */
  reserve(reservation: Reservation): boolean;
  /** Releases everything that a replica holds. */
  release(replica: string): void;
}

/** Tolerance for rounding errors when shares are added up. */
const roundingError = 1e-9;

export class StoredReservations implements Reservations {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  list(): Reservation[] {
    return this.#database
      .statement("SELECT kind, value, replica, share FROM reservations ORDER BY kind, value")
      .all()
      .map((row) => ({
        kind: row.kind === "gpu" ? "gpu" : "port",
        value: String(row.value),
        replica: String(row.replica),
        share: Number(row.share),
      }));
  }

  reserve({ kind, value, replica, share }: Reservation): boolean {
    return this.#database.transaction(() => {
      const others = this.#database
        .statement(
          "SELECT coalesce(sum(share), 0) AS taken FROM reservations WHERE kind = ? AND value = ? AND replica <> ?",
        )
        .get(kind, value, replica);
      if (Number(others?.taken) + share > 1 + roundingError) return false;
      this.#database
        .statement(
          "INSERT OR REPLACE INTO reservations (kind, value, replica, share) VALUES (?,?,?,?)",
        )
        .run(kind, value, replica, share);
      return true;
    });
  }

  release(replica: string): void {
    this.#database.statement("DELETE FROM reservations WHERE replica = ?").run(replica);
  }
}
