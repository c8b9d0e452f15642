// Replica records: written before a replica is started, kept for a day after it ended.
import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { ReplicaExit } from "../engines/engine.ts";
import type { AppKey, RevisionKey } from "./app-records.ts";
import { numberOf, type Row, type StateDatabase } from "./database.ts";

/**
 * Progress of a replica, as far as a new control plane needs it.
 *
 * `ordered`: the engine may not know it yet; `started`: it does; `ready`: it has answered;
 * `asleep`: its server was put to sleep, or is being; `waking`: it is being woken; `draining`: gets no
 * new requests; `stopping`: is being killed; `ended`.
 */
export type ReplicaStage =
  | "ordered"
  | "started"
  | "ready"
  | "asleep"
  | "waking"
  | "draining"
  | "stopping"
  | "ended";

export interface ReplicaRecord extends RevisionKey {
  replica: string;
  /** A verifying replica gets no requests before the switch. */
  purpose: "serving" | "verifying";
  stage: ReplicaStage;
  /** Milliseconds since 1970. */
  createdAt: number;
  readyAt: number | undefined;
  endedAt: number | undefined;
  exit: ReplicaExit | undefined;
}

/** Returns true for a replica that takes requests or will soon. */
export function isRising({ stage }: Pick<ReplicaRecord, "stage">): boolean {
  return stage === "ordered" || stage === "started" || stage === "ready" || stage === "waking";
}

const idAlphabet = "abcdefghijkmnpqrstuvwxyz23456789";

export class ReplicaRecords {
  readonly #database: StateDatabase;
  readonly #clock: Clock;

  constructor(database: StateDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Lists all replicas, including ended ones, oldest first. */
  list(): ReplicaRecord[] {
    return this.#database.all("SELECT * FROM replicas ORDER BY created_at, replica").map(toRecord);
  }

  /** Lists replicas that have not ended, oldest first. */
  living(): ReplicaRecord[] {
    return this.#database
      .all("SELECT * FROM replicas WHERE stage <> 'ended' ORDER BY created_at, replica")
      .map(toRecord);
  }

  livingOf({ organisation, app }: AppKey): ReplicaRecord[] {
    return this.#database
      .all(
        "SELECT * FROM replicas WHERE organisation = ? AND app = ? AND stage <> 'ended' ORDER BY created_at, replica",
        [organisation, app],
      )
      .map(toRecord);
  }

  find(replica: string): ReplicaRecord | undefined {
    const row = this.#database.get("SELECT * FROM replicas WHERE replica = ?", [replica]);
    return row === undefined ? undefined : toRecord(row);
  }

  /** Creates a record with a random id. */
  create(revision: RevisionKey, purpose: ReplicaRecord["purpose"]): ReplicaRecord {
    const replica = createReplicaId();
    const { organisation, app } = revision;
    const record: ReplicaRecord = {
      organisation,
      app,
      revision: revision.revision,
      replica,
      purpose,
      stage: "ordered",
      createdAt: this.#clock.wallMs(),
      readyAt: undefined,
      endedAt: undefined,
      exit: undefined,
    };
    this.#database.run(
      "INSERT INTO replicas (replica, organisation, app, revision, purpose, stage, created_at) VALUES (?,?,?,?,?,?,?)",
      [replica, organisation, app, record.revision, purpose, record.stage, record.createdAt],
    );
    return record;
  }

  update(
    replica: string,
    change: Partial<Pick<ReplicaRecord, "purpose" | "stage" | "readyAt" | "endedAt" | "exit">>,
  ): void {
    const record = this.find(replica);
    if (record === undefined) return; // its app was removed meanwhile
    const next = { ...record, ...change };
    this.#database.run(
      "UPDATE replicas SET purpose = ?, stage = ?, ready_at = ?, ended_at = ?, exit = ? WHERE replica = ?",
      [
        next.purpose,
        next.stage,
        next.readyAt ?? null,
        next.endedAt ?? null,
        next.exit === undefined ? null : JSON.stringify(next.exit),
        replica,
      ],
    );
  }

  /** Removes records of replicas that ended before a time. */
  prune(before: number): void {
    this.#database.run("DELETE FROM replicas WHERE stage = 'ended' AND ended_at < ?", [before]);
  }
}

/** Returns eight unambiguous characters: 40 random bits. */
function createReplicaId(): string {
  const letters = Array.from(randomBytes(8), (byte) => idAlphabet[byte % idAlphabet.length]);
  return letters.join("");
}

function toRecord(row: Row): ReplicaRecord {
  return {
    replica: String(row.replica),
    organisation: String(row.organisation),
    app: String(row.app),
    revision: String(row.revision),
    // Only `create` and `update` write these columns.
    purpose: String(row.purpose) as ReplicaRecord["purpose"],
    stage: String(row.stage) as ReplicaStage,
    createdAt: Number(row.created_at),
    readyAt: numberOf(row.ready_at),
    endedAt: numberOf(row.ended_at),
    exit: row.exit === null ? undefined : (JSON.parse(String(row.exit)) as ReplicaExit),
  };
}
