// Log queries: the last lines of one log, or several logs merged by time.
import { type FileHandle, open } from "node:fs/promises";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { LogLine } from "../engine.ts";
import { filesOfLog, readLine, recordsFromEnd } from "./log-file.ts";

export interface LineFilter {
  /** Milliseconds since 1970. */
  sinceMs?: number | undefined;
  /** Text to find, ignoring case. */
  search?: string | undefined;
  /** Returns only lines after this one. */
  afterSeq?: number | undefined;
}

/** Lines read before yielding to other work. */
const batchLines = 2000;

/** Returns the last matching lines, oldest first. */
export async function lastLines(
  file: string,
  filter: LineFilter,
  count: number,
): Promise<LogLine[]> {
  const found: LogLine[] = [];
  const passes = searcher(filter);
  let read = 0;
  for (const { line } of recordsFromEnd(file)) {
    if (found.length >= count || line.seq <= (filter.afterSeq ?? 0)) break;
    if (line.ts < (filter.sinceMs ?? 0)) break; // within a log, time never goes back
    if (passes(line)) found.push(line);
    read += 1;
    if (read % batchLines === 0) await yieldToOthers();
  }
  return found.reverse();
}

/** Yields all matching lines of one log, oldest first, without holding them all in memory. */
export async function* allLines(file: string, filter: LineFilter): AsyncGenerator<LogLine> {
  const passes = searcher(filter);
  // Opens all files before reading, so that a rotation meanwhile changes nothing.
  const opened = await Promise.allSettled(filesOfLog(file).map((name) => open(name, "r")));
  const handles = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  try {
    let lastSeq = filter.afterSeq ?? 0;
    for (const handle of handles.toReversed()) {
      for await (const line of linesOf(handle)) {
        if (line.seq <= lastSeq) continue; // rotated between two opens, and so opened twice
        lastSeq = line.seq;
        if (line.ts >= (filter.sinceMs ?? 0) && passes(line)) yield line;
      }
    }
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

/** Merges several sources, each sorted by time. */
export async function* byTime<T extends { line: LogLine }>(
  sources: readonly AsyncGenerator<T>[],
): AsyncGenerator<T> {
  const heads: { item: T; source: AsyncGenerator<T> }[] = [];
  const advance = async (source: AsyncGenerator<T>) => {
    const next = await source.next();
    if (!next.done) heads.push({ item: next.value, source });
  };
  try {
    for (const source of sources) await advance(source);
    while (heads.length > 0) {
      const earliest = heads.reduce((best, head) =>
        head.item.line.ts < best.item.line.ts ? head : best,
      );
      yield earliest.item;
      heads.splice(heads.indexOf(earliest), 1);
      await advance(earliest.source);
    }
  } finally {
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}

async function* linesOf(handle: FileHandle): AsyncGenerator<LogLine> {
  for await (const json of handle.readLines({ autoClose: false, start: 0 })) {
    const record = readLine(json);
    if (record !== undefined) yield record.line;
  }
}

function searcher({ search }: LineFilter): (line: LogLine) => boolean {
  if (search === undefined || search === "") return () => true;
  const wanted = search.toLowerCase();
  return ({ text }) => text.toLowerCase().includes(wanted);
}
