// Log of one replica: its raw output, turned into log lines, and the last of them in memory.
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import { RingBuffer } from "../../../base/ring-buffer.ts";
import { describeMarker, type ReplicaMarker, splitMarker } from "../replica-marker.ts";
import { LogFile, type LogFileOptions, type NewLine, recordsFromEnd } from "./log-file.ts";
import { defaultRawLimits, type RawChunk, type RawLimits, RawOutput } from "./raw-output.ts";

export interface ReplicaLogOptions extends LogFileOptions {
  raw: { stdout: string; stderr: string };
  clock: Clock;
  limits?: RawLimits;
  /** Called with each line that may show progress, including an incomplete one. */
  onText: (text: string) => void;
  /** Called with each marker of the runner. */
  onMarker: (marker: ReplicaMarker) => void;
  /** Called when the log has grown. */
  onGrowth: () => void;
  /** Called when writing fails: a full disk must end neither the replica nor its watcher. */
  onFailure: (error: unknown) => void;
}

/** Number of lines kept to explain an exit. */
export const tailLines = 40;
/** Number of old records searched for markers after a restart. */
const rememberedRecords = 500;
/** Reads of a file per collection. */
const readsAtOnce = 4;
const streams = ["stdout", "stderr"] as const;
const endings: ReadonlySet<string> = new Set(["returned", "ended", "failed"]);

export class ReplicaLog {
  readonly #options: ReplicaLogOptions;
  readonly #file: LogFile;
  readonly #raw: Record<(typeof streams)[number], RawOutput>;
  readonly #tail = new RingBuffer<string>(tailLines);
  /** Last marker that explains the exit. */
  ending: ReplicaMarker | undefined;
  #isClosed = false;

  /** Resumes where the log stops, so that each line of raw output is logged once. */
  constructor(options: ReplicaLogOptions) {
    this.#options = options;
    this.#file = new LogFile(options);
    const { offsets } = this.#file;
    const limits = options.limits ?? defaultRawLimits;
    this.#raw = {
      stdout: new RawOutput(options.raw.stdout, offsets.stdout, limits),
      stderr: new RawOutput(options.raw.stderr, offsets.stderr, limits),
    };
    this.#restore();
  }

  /** Last lines of output, oldest first. */
  get tail(): string[] {
    return this.#tail.toArray();
  }

  /** Logs new output, limited so that other work is not held up. */
  collect(): void {
    this.#try(() => {
      for (let reads = 0; reads < readsAtOnce && this.#read(false); reads += 1);
    });
  }

  /** Logs the remaining output, after the last write. */
  async collectRest(): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      hasMore = false;
      this.#try(() => {
        hasMore = this.#read(true);
      });
      await yieldToOthers();
    }
  }

  /** Adds an event line after the output so far. */
  event(text: string): void {
    this.collect();
    this.#try(() => this.#write([{ ts: this.#options.clock.wallMs(), stream: "event", text }]));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stream of streams) this.#raw[stream].close();
    this.#file.close();
  }

  #try(work: () => void): void {
    if (this.#isClosed) return;
    try {
      work();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /** @returns true when there is more output now */
  #read(isFinal: boolean): boolean {
    const chunks = streams.map((stream) => this.#take(stream, isFinal));
    return chunks.some(({ hasMore }) => hasMore);
  }

  #take(stream: (typeof streams)[number], isFinal: boolean): RawChunk {
    const { offsets } = this.#file;
    const chunk = this.#raw[stream].read(isFinal);
    const ts = Math.min(chunk.writtenAt, this.#options.clock.wallMs());
    const lines: NewLine[] = [];
    const note = (text: string) => {
      offsets[stream] = this.#raw[stream].offset;
      lines.push({ ts, stream: "event", text, offsets: { ...offsets } });
    };
    if (chunk.skippedBytes > 0) {
      note(
        `skipped ${chunk.skippedBytes} bytes of ${stream}, which arrived faster than they can be logged`,
      );
    }
    for (const { text, offset } of chunk.lines) {
      offsets[stream] = offset;
      lines.push(
        ...this.#divide(stream, text, ts).map((line) => ({ ...line, offsets: { ...offsets } })),
      );
    }
    // Logged, so that a later control plane resumes at the new start.
    if (chunk.wasEmptied) note(`emptied the raw file of ${stream}, whose lines are in this log`);
    this.#write(lines);
    if (chunk.unfinished !== "") this.#options.onText(chunk.unfinished);
    return chunk;
  }

  /** Splits a line into output and the runner's marker in it. */
  #divide(stream: (typeof streams)[number], text: string, ts: number): NewLine[] {
    const found = stream === "stdout" ? splitMarker(text) : undefined;
    if (found === undefined) return [this.#outputLine(stream, text, ts)];
    const { before, marker } = found;
    this.#note(marker);
    this.#options.onMarker(marker);
    const event: NewLine = { ts, stream: "event", text: describeMarker(marker), marker };
    return before === "" ? [event] : [this.#outputLine(stream, before, ts), event];
  }

  #outputLine(stream: (typeof streams)[number], text: string, ts: number): NewLine {
    this.#tail.push(text);
    this.#options.onText(text);
    return { ts, stream, text };
  }

  #write(lines: NewLine[]): void {
    if (lines.length === 0) return;
    this.#file.append(lines);
    this.#options.onGrowth();
  }

  #note(marker: ReplicaMarker): void {
    if (endings.has(marker.phase)) this.ending = marker;
  }

  #restore(): void {
    const records = recordsFromEnd(this.#file.file).take(rememberedRecords).toArray().reverse();
    for (const { line, marker } of records) {
      if (line.stream !== "event") this.#tail.push(line.text);
      if (marker !== undefined) this.#note(marker);
    }
  }
}
