// Log file of one replica: JSON lines, with the offsets at which a new control plane resumes, rotated at
// 10 MiB.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import type { LogLine } from "../engine.ts";
import { type ReplicaMarker, readMarker } from "../replica-marker.ts";

/** Bytes of a replica's raw output that are in the log, for each of its files. */
export interface RawOffsets {
  stdout: number;
  stderr: number;
}

export interface LineRecord {
  line: LogLine;
  /** Offsets after this line. */
  offsets: RawOffsets;
  /** Runner marker behind a line of stream "event". */
  marker?: ReplicaMarker | undefined;
}

/** Field names are those that users see in the files. */
export function writeLine({ line, offsets, marker }: LineRecord): string {
  const { ts, organisation: org, app, revision: rev, replica, stream, seq, text } = line;
  const at = [offsets.stdout, offsets.stderr];
  return `${JSON.stringify({ ts, org, app, rev, replica, stream, seq, text, at, marker })}\n`;
}

/** @returns undefined for a line that a crash has truncated */
export function readLine(json: string): LineRecord | undefined {
  const value = parseJson(json);
  if (!isRecord(value)) return undefined;
  const { ts, org, app, rev, replica, stream, seq, text, at, marker } = value;
  if (typeof ts !== "number" || typeof seq !== "number" || typeof text !== "string") {
    return undefined;
  }
  if (stream !== "stdout" && stream !== "stderr" && stream !== "event") return undefined;
  const [stdout, stderr] = Array.isArray(at) ? at.map(Number) : [];
  return {
    line: {
      ts,
      organisation: String(org),
      app: String(app),
      revision: String(rev),
      replica: String(replica),
      stream,
      seq,
      text,
    },
    offsets: { stdout: stdout ?? 0, stderr: stderr ?? 0 },
    marker: readMarker(marker),
  };
}

export interface LogFileOptions {
  file: string;
  of: Pick<LogLine, "organisation" | "app" | "revision" | "replica">;
  /** Size at which the file is rotated. */
  maxBytes?: number;
}

/** Fields of a new line; the others follow from where it is written. */
export type NewLine = Pick<LogLine, "ts" | "stream" | "text"> & {
  offsets?: RawOffsets;
  marker?: ReplicaMarker;
};

export const rotationBytes = 10 * 1024 ** 2;
/** Number of files, including the current one. */
export const keptFiles = 5;
const ownerOnly = 0o600;
/** Bytes read at a time, from the end. */
const blockBytes = 64 * 1024;
const newline = 10;

/** Returns the current and the rotated files, newest first. */
export function filesOfLog(file: string): string[] {
  const names = Array.from({ length: keptFiles }, (_, age) =>
    age === 0 ? file : `${file}.${age}`,
  );
  return names.filter((name) => existsSync(name));
}

/** Writes synchronously, so that a crash of this process loses no line. */
export class LogFile {
  readonly file: string;
  readonly #of: LogFileOptions["of"];
  readonly #maxBytes: number;
  #descriptor: number;
  #sizeBytes: number;
  #seq: number;
  #ts: number;
  #offsets: RawOffsets;

  /** Appends after the last line; removes one truncated by a power failure. */
  constructor({ file, of, maxBytes = rotationBytes }: LogFileOptions) {
    this.file = file;
    this.#of = of;
    this.#maxBytes = maxBytes;
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(file, "a+", ownerOnly);
    this.#sizeBytes = truncateIncompleteLine(this.#descriptor);
    const last = newestRecord(file);
    this.#seq = last?.line.seq ?? 0;
    this.#ts = last?.line.ts ?? 0;
    this.#offsets = last?.offsets ?? { stdout: 0, stderr: 0 };
  }

  /** Offsets of the raw output that this log covers. */
  get offsets(): RawOffsets {
    return { ...this.#offsets };
  }

  append(lines: readonly NewLine[]): void {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.map((line) => writeLine(this.#complete(line))).join(""));
    if (this.#sizeBytes > 0 && this.#sizeBytes + bytes.length > this.#maxBytes) this.#rotate();
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
    this.#sizeBytes += bytes.length;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Keeps time from going backwards within a file, which readers rely on. */
  #complete({ ts, stream, text, offsets, marker }: NewLine): LineRecord {
    this.#seq += 1;
    this.#ts = Math.max(this.#ts, Math.round(ts));
    this.#offsets = offsets ?? this.#offsets;
    const line = { ...this.#of, ts: this.#ts, stream, seq: this.#seq, text };
    return { line, offsets: this.#offsets, marker };
  }

  #rotate(): void {
    closeSync(this.#descriptor);
    rmSync(`${this.file}.${keptFiles - 1}`, { force: true });
    for (let age = keptFiles - 2; age >= 0; age -= 1) {
      const name = age === 0 ? this.file : `${this.file}.${age}`;
      if (existsSync(name)) renameSync(name, `${this.file}.${age + 1}`);
    }
    this.#descriptor = openSync(this.file, "a+", ownerOnly);
    this.#sizeBytes = 0;
  }
}

/** Yields the records of a log and its rotated files, newest first. */
export function* recordsFromEnd(file: string): Generator<LineRecord, undefined> {
  // Opens all files before reading, so that a rotation meanwhile changes nothing.
  const descriptors = filesOfLog(file).map((name) => openSync(name, "r"));
  try {
    for (const descriptor of descriptors) {
      for (const json of linesFromEnd(descriptor)) {
        const record = readLine(json);
        if (record !== undefined) yield record;
      }
    }
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

/** Yields complete lines, last first; text after the last newline is not a line yet. */
export function* linesFromEnd(descriptor: number): Generator<string> {
  /** End of a line whose start is not read yet; undefined before the first newline. */
  let rest: Buffer | undefined;
  for (let end = fstatSync(descriptor).size; end > 0; ) {
    const start = Math.max(0, end - blockBytes);
    const block = Buffer.alloc(end - start);
    const length = readSync(descriptor, block, 0, block.length, start);
    if (length < block.length) throw new Error("a log file was truncated while it was read");
    let until = block.length;
    for (let at = block.lastIndexOf(newline); at >= 0; ) {
      if (rest !== undefined) yield Buffer.concat([block.subarray(at + 1, until), rest]).toString();
      rest = Buffer.alloc(0);
      until = at;
      at = at === 0 ? -1 : block.lastIndexOf(newline, at - 1);
    }
    if (rest !== undefined) rest = Buffer.concat([block.subarray(0, until), rest]);
    end = start;
  }
  if (rest !== undefined) yield rest.toString();
}

/** @returns undefined for an empty log */
export function newestRecord(file: string): LineRecord | undefined {
  return recordsFromEnd(file).find(() => true);
}

/** @returns the remaining size */
function truncateIncompleteLine(descriptor: number): number {
  const { size } = fstatSync(descriptor);
  const block = Buffer.alloc(blockBytes);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - block.length);
    const length = readSync(descriptor, block, 0, end - start, start);
    const last = block.subarray(0, length).lastIndexOf(newline);
    if (last >= 0) {
      const whole = start + last + 1;
      if (whole < size) ftruncateSync(descriptor, whole);
      return whole;
    }
    end = start;
  }
  if (size > 0) ftruncateSync(descriptor, 0);
  return 0;
}
