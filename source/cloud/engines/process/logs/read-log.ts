// Reads logs for people: the last lines of one, or all of several by time.
import { type FileHandle, open } from "node:fs/promises";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { LogLine } from "../../engine.ts";
import { readLine } from "./line-record.ts";
import { filesOfLog, recordsFromEnd } from "./log-file.ts";

export interface LineFilter {
  /** Milliseconds since 1970. */
  sinceMs?: number | undefined;
  /** A part of the text, whatever its case. */
  search?: string | undefined;
  /** Lines up to this one are left out. */
  afterSeq?: number | undefined;
}

/** Lines that are read before others get a turn. */
const batchLines = 2000;

/** The last lines that pass the filter, oldest first. */
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

/** All lines of one log that pass the filter, oldest first, without holding more than some of them. */
export async function* allLines(file: string, filter: LineFilter): AsyncGenerator<LogLine> {
  const passes = searcher(filter);
  // All are opened before the first is read: setting one aside meanwhile changes nothing then.
  const opened = await Promise.allSettled(filesOfLog(file).map((name) => open(name, "r")));
  const handles = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  try {
    let lastSeq = filter.afterSeq ?? 0;
    for (const handle of handles.toReversed()) {
      for await (const line of linesOf(handle)) {
        if (line.seq <= lastSeq) continue; // set aside between two opens, and so opened twice
        lastSeq = line.seq;
        if (line.ts >= (filter.sinceMs ?? 0) && passes(line)) yield line;
      }
    }
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

/** Takes from several sources, each of them by time, the earliest line of all. */
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
