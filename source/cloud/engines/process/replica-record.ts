// run/<replica>.json: what a later control plane needs to know a replica that lives on.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { type Static, Type } from "typebox";
import { Check } from "typebox/value";

const recordSchema = Type.Object({
  schema: Type.Literal(1),
  replica: Type.String(),
  organisation: Type.String(),
  app: Type.String(),
  revision: Type.String(),
  /** Also in the environment of its processes. */
  nonce: Type.String(),
  /** The one that it was given. */
  port: Type.Integer(),
  /** The one that its script says. */
  exposedPort: Type.Integer(),
  healthPath: Type.String(),
  startupTimeoutMs: Type.Number(),
  gpus: Type.Array(Type.String()),
  /** Milliseconds since 1970. */
  startedAt: Type.Number(),
  /** Missing in a record that was written before the process was there. */
  process: Type.Optional(
    Type.Object({
      id: Type.Integer(),
      /** Also its session. */
      group: Type.Integer(),
      startTime: Type.Number(),
      bootId: Type.String(),
    }),
  ),
  /** From readiness on: when, and on which port it really listens. */
  ready: Type.Optional(
    Type.Object({
      at: Type.Number(),
      port: Type.Integer(),
      speaksHttp: Type.Boolean(),
      /** Milliseconds of its start by phase. */
      phasesMs: Type.Optional(Type.Record(Type.String(), Type.Number())),
    }),
  ),
  warnings: Type.Array(Type.String()),
});

export type ReplicaRecord = Static<typeof recordSchema>;

const suffix = ".json";
const ownerOnly = 0o600;

/** The folder `run/` of a state folder. */
export class ReplicaRecords {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = path.join(stateFolder, "run");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** A replica's other files lie beside its record. */
  fileOf(replica: string, kind: ".json" | ".stdout" | ".stderr"): string {
    return path.join(this.#folder, `${replica}${kind}`);
  }

  /** It is on the disk when this returns. */
  write(record: ReplicaRecord): void {
    const file = this.fileOf(record.replica, suffix);
    const draft = `${file}.new`;
    const descriptor = openSync(draft, "w", ownerOnly);
    try {
      writeSync(descriptor, JSON.stringify(record));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  }

  /** @returns undefined when there is none, or none that can be understood */
  read(replica: string): ReplicaRecord | undefined {
    let value: unknown;
    try {
      value = JSON.parse(readFileSync(this.fileOf(replica, suffix), "utf8"));
    } catch {
      return undefined;
    }
    return Check(recordSchema, value) && value.replica === replica ? value : undefined;
  }

  /** Replicas that have a record, understood or not. */
  list(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length));
  }

  /** Its raw output too; its log stays. */
  remove(replica: string): void {
    for (const kind of [suffix, ".stdout", ".stderr"] as const) {
      rmSync(this.fileOf(replica, kind), { force: true });
    }
  }
}
