// Logs of one state folder: their files, queries, and removal of old ones.
import { type Dirent, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { Changes } from "../../changes.ts";
import type { LogLine, LogQuery } from "../engine.ts";
import { LogFile, newestRecord } from "./log-file.ts";
import { allLines, byTime, type LineFilter, lastLines } from "./read-log.ts";

/** Replica, or other writer, that owns a log. */
export type LogPlace = Pick<LogLine, "organisation" | "app" | "revision" | "replica">;

const retentionMs = 7 * 86_400_000;
const nameOfFile = /^(.+)\.log$/;
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export class LogStore {
  readonly #folder: string;
  readonly #clock: Clock;
  /** Callbacks of followers, called when a log has grown. */
  readonly #followers = new Set<(file: string) => void>();
  readonly #closing = new AbortController();

  constructor(stateFolder: string, clock: Clock) {
    this.#folder = path.join(stateFolder, "logs");
    this.#clock = clock;
  }

  /** @throws Error for names that are not safe as file names */
  fileOf({ organisation, app, revision, replica }: LogPlace): string {
    for (const name of [organisation, app, revision, replica]) {
      if (!plainName.test(name)) throw new Error(`${JSON.stringify(name)} cannot name a log`);
    }
    return path.join(this.#folder, organisation, app, revision, `${replica}.log`);
  }

  /** Adds a line of stream "event" to a log that no replica writes: "build" or "control". */
  write(place: LogPlace, text: string): void {
    const file = this.fileOf(place);
    const log = new LogFile({ file, of: place });
    log.append([{ ts: this.#clock.wallMs(), stream: "event", text }]);
    log.close();
    this.noteGrowth(file);
  }

  /** Wakes up followers. */
  noteGrowth(file: string): void {
    for (const follower of this.#followers) follower(file);
  }

  async *query(query: LogQuery): AsyncGenerator<LogLine> {
    const grown = new Set<string>();
    const changes = new Changes();
    const follower = (file: string) => {
      grown.add(file);
      changes.notify();
    };
    if (query.follow) this.#followers.add(follower);
    const signal = AbortSignal.any([
      this.#closing.signal,
      ...(query.signal === undefined ? [] : [query.signal]),
    ]);
    try {
      const seen = new Map(this.#filesFor(query).map(({ file }) => [file, newestSeq(file)]));
      for await (const { line, file } of this.#past(query)) {
        if (signal.aborted) return;
        seen.set(file, Math.max(line.seq, seen.get(file) ?? 0));
        yield line;
      }
      while (query.follow && !signal.aborted) {
        const files = this.#filesFor(query).filter(({ file }) => grown.has(file));
        grown.clear();
        yield* await newLines(files, query, seen);
        // An abort ends the wait.
        await changes.until(() => grown.size > 0 || undefined, signal).catch(() => {});
      }
    } finally {
      this.#followers.delete(follower);
    }
  }

  /**
   * Removes logs without a write for a week.
   *
   * @param living files of replicas that may still write
   */
  removeOld(living: ReadonlySet<string>): void {
    const before = this.#clock.wallMs() - retentionMs;
    for (const entry of entriesOf(this.#folder, { recursive: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      if (!living.has(file) && statSync(file).mtimeMs < before) rmSync(file, { force: true });
    }
  }

  /** Ends all followers. */
  close(): void {
    this.#closing.abort();
  }

  #past(query: LogQuery): AsyncIterable<FoundLine> {
    const files = this.#filesFor(query);
    if (query.lines !== undefined) return lastOfAll(files, query, query.lines);
    return byTime(files.map((log) => withFile(log.file, allLines(log.file, filterOf(query, log)))));
  }

  #filesFor({ organisation, app, revision, replica }: LogQuery): FoundLog[] {
    const ofApp = path.join(this.#folder, organisation, app);
    if (!plainName.test(organisation) || !plainName.test(app)) return [];
    // Names come from a request, so they are compared with folder entries and never joined to a
    // path.
    const revisions = entriesOf(ofApp).filter(({ name }) => (revision ?? name) === name);
    return revisions.flatMap(({ name }) =>
      entriesOf(path.join(ofApp, name)).flatMap((entry) => {
        const found = nameOfFile.exec(entry.name)?.[1];
        if (found === undefined || (replica ?? found) !== found) return [];
        return [{ file: path.join(ofApp, name, entry.name), key: `${name}/${found}` }];
      }),
    );
  }
}

interface FoundLog {
  file: string;
  /** Key in `LogQuery.after`. */
  key: string;
}

interface FoundLine {
  line: LogLine;
  file: string;
}

function filterOf({ sinceMs, search, after }: LogQuery, { key }: FoundLog): LineFilter {
  return { sinceMs, search, afterSeq: after?.get(key) };
}

async function* withFile(file: string, lines: AsyncIterable<LogLine>): AsyncGenerator<FoundLine> {
  for await (const line of lines) yield { line, file };
}

async function* lastOfAll(
  logs: readonly FoundLog[],
  query: LogQuery,
  count: number,
): AsyncGenerator<FoundLine> {
  const found = await Promise.all(
    logs.map(async (log) => {
      const lines = await lastLines(log.file, filterOf(query, log), count);
      return lines.map((line) => ({ line, file: log.file }));
    }),
  );
  const lines = found.flat().sort((a, b) => a.line.ts - b.line.ts);
  yield* count > 0 ? lines.slice(-count) : [];
}

/** Returns new lines of logs, by time, and updates `seen`. */
async function newLines(
  logs: readonly FoundLog[],
  { search, sinceMs }: LogQuery,
  seen: Map<string, number>,
): Promise<LogLine[]> {
  const found: LogLine[] = [];
  for (const { file } of logs) {
    const afterSeq = seen.get(file) ?? 0;
    const newest = newestSeq(file);
    const lines = await lastLines(file, { search, sinceMs, afterSeq }, Number.POSITIVE_INFINITY);
    seen.set(file, Math.max(newest, lines.at(-1)?.seq ?? 0));
    found.push(...lines);
  }
  return found.sort((a, b) => a.ts - b.ts);
}

function newestSeq(file: string): number {
  return newestRecord(file)?.line.seq ?? 0;
}

function entriesOf(folder: string, options: { recursive?: boolean } = {}): Dirent[] {
  try {
    return readdirSync(folder, { ...options, withFileTypes: true });
  } catch {
    return []; // nothing has been logged there yet
  }
}
