// Record of a replica, run/<replica>.json, from which a later control plane adopts it.
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
import { Check } from "typebox/schema";
import { engineWarningCodes } from "../engine-warnings.ts";
import type { ProcessIdentity } from "./process-table.ts";

const recordSchema = Type.Object({
  schema: Type.Literal(1),
  replica: Type.String(),
  organisation: Type.String(),
  app: Type.String(),
  revision: Type.String(),
  /** Also in the environment of its processes. */
  nonce: Type.String(),
  /** Port assigned to the replica. */
  port: Type.Integer(),
  /** Port in the script. */
  exposedPort: Type.Integer(),
  healthPath: Type.String(),
  healthStatus: Type.Optional(Type.Integer()),
  startupTimeoutMs: Type.Number(),
  gpus: Type.Array(Type.String()),
  /** Milliseconds since 1970. */
  startedAt: Type.Number(),
  /** Absent in a record written before the process was started. */
  process: Type.Optional(
    Type.Object({
      id: Type.Integer(),
      /** Also its session. */
      group: Type.Integer(),
      startTime: Type.Number(),
      bootId: Type.String(),
    }),
  ),
  /** Set once ready: the time, and the actual port. */
  ready: Type.Optional(
    Type.Object({
      at: Type.Number(),
      port: Type.Integer(),
      speaksHttp: Type.Boolean(),
      /** Milliseconds of the start by phase. */
      phasesMs: Type.Optional(Type.Record(Type.String(), Type.Number())),
    }),
  ),
  warnings: Type.Array(Type.Enum(engineWarningCodes)),
});

export type AdoptionRecord = Static<typeof recordSchema>;

/** @returns undefined before the process was started */
export function identityOf({ process, nonce }: AdoptionRecord): ProcessIdentity | undefined {
  if (process === undefined) return undefined;
  const { id, startTime, bootId } = process;
  return { processId: id, startTime, bootId, nonce };
}

const suffix = ".json";
const ownerOnly = 0o600;

/** Record files in the folder `run/` of a state folder. */
export class AdoptionRecords {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = path.join(stateFolder, "run");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Returns the files that get a replica's output. */
  rawFilesOf(replica: string): { stdout: string; stderr: string } {
    const file = path.join(this.#folder, replica);
    return { stdout: `${file}.stdout`, stderr: `${file}.stderr` };
  }

  /** Writes the record and syncs it to disk. */
  write(record: AdoptionRecord): void {
    const file = this.#fileOf(record.replica);
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

  /** @returns undefined when there is no valid record */
  read(replica: string): AdoptionRecord | undefined {
    let value: unknown;
    try {
      value = JSON.parse(readFileSync(this.#fileOf(replica), "utf8"));
    } catch {
      return undefined;
    }
    return Check(recordSchema, value) && value.replica === replica ? value : undefined;
  }

  /** Lists replicas that have a record, valid or not. */
  list(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length));
  }

  /** Removes the record and raw output; the log stays. */
  remove(replica: string): void {
    const { stdout, stderr } = this.rawFilesOf(replica);
    for (const file of [this.#fileOf(replica), stdout, stderr]) rmSync(file, { force: true });
  }

  #fileOf(replica: string): string {
    return path.join(this.#folder, `${replica}${suffix}`);
  }
}
