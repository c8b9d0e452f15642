// Everything that one replica says: takes its raw output into its log, and remembers the end of it.
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Clock } from "../../../../base/clock.ts";
import { RingBuffer } from "../../../../base/ring-buffer.ts";
import { describeMarker, type RunnerMarker, splitMarker } from "../runner-marker.ts";
import { LogFile, type LogFileOptions, type NewLine, recordsFromEnd } from "./log-file.ts";
import { defaultRawLimits, type RawLimits, type RawLook, RawOutput } from "./raw-output.ts";

export interface ReplicaLogOptions extends LogFileOptions {
  raw: { stdout: string; stderr: string };
  clock: Clock;
  limits?: RawLimits;
  /** Told each line that a progress may be read from, and the line that is being written. */
  onText: (text: string) => void;
  /** Told what the runner tells. */
  onMarker: (marker: RunnerMarker) => void;
  /** Told when the log has grown. */
  onGrowth: () => void;
  /** Told when it cannot be kept: a disk that is full ends neither the replica nor who watches it. */
  onFailure: (error: unknown) => void;
}

/** The lines that an exit is explained by. */
export const tailLines = 40;
/** How far back the markers of an earlier control plane's time are looked for. */
const rememberedRecords = 500;
/** How often a file is read in one go. */
const looksAtOnce = 4;
const streams = ["stdout", "stderr"] as const;
const endings: ReadonlySet<string> = new Set(["returned", "ended", "failed"]);

export class ReplicaLog {
  readonly #options: ReplicaLogOptions;
  readonly #file: LogFile;
  readonly #raw: Record<(typeof streams)[number], RawOutput>;
  readonly #tail = new RingBuffer<string>(tailLines);
  /** The last marker that tells why the replica ends. */
  #ending: RunnerMarker | undefined;
  #isClosed = false;

  /** Goes on where the log stops, so that each line of the raw output is in it once. */
  constructor(options: ReplicaLogOptions) {
    this.#options = options;
    this.#file = new LogFile(options);
    const { offsets } = this.#file;
    const limits = options.limits ?? defaultRawLimits;
    this.#raw = {
      stdout: new RawOutput(options.raw.stdout, offsets.stdout, limits),
      stderr: new RawOutput(options.raw.stderr, offsets.stderr, limits),
    };
    this.#remember();
  }

  /** The last lines of its output, oldest first. */
  get tail(): string[] {
    return this.#tail.toArray();
  }

  get ending(): RunnerMarker | undefined {
    return this.#ending;
  }

  /** Takes what was written since, but no more than others can wait for. */
  collect(): void {
    this.#try(() => {
      for (let look = 0; look < looksAtOnce && this.#look(false); look += 1);
    });
  }

  /** Takes the rest: nobody writes any more. */
  async collectRest(): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      hasMore = false;
      this.#try(() => {
        hasMore = this.#look(true);
      });
      await yieldToOthers();
    }
  }

  /** A line of ours, about the replica, behind what it has written before. */
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

  /** @returns whether there is more to take at once */
  #look(isFinal: boolean): boolean {
    const looks = streams.map((stream) => this.#take(stream, isFinal));
    return looks.some(({ hasMore }) => hasMore);
  }

  #take(stream: (typeof streams)[number], isFinal: boolean): RawLook {
    const { offsets } = this.#file;
    const look = this.#raw[stream].look(isFinal);
    const ts = Math.min(look.writtenAt, this.#options.clock.wallMs());
    const lines: NewLine[] = [];
    const note = (text: string) => {
      offsets[stream] = this.#raw[stream].offset;
      lines.push({ ts, stream: "event", text, offsets: { ...offsets } });
    };
    if (look.skippedBytes > 0) {
      note(
        `${look.skippedBytes} bytes of ${stream} were passed over: they came faster than logs can be kept`,
      );
    }
    for (const { text, offset } of look.lines) {
      offsets[stream] = offset;
      lines.push(
        ...this.#divide(stream, text, ts).map((line) => ({ ...line, offsets: { ...offsets } })),
      );
    }
    // Written down, so that a later control plane begins at the new beginning.
    if (look.wasEmptied)
      note(`the raw file of ${stream} was emptied: what is kept of it is in this log`);
    this.#write(lines);
    if (look.unfinished !== "") this.#options.onText(look.unfinished);
    return look;
  }

  /** A line of output, or the runner's marker in it. */
  #divide(stream: (typeof streams)[number], text: string, ts: number): NewLine[] {
    const found = stream === "stdout" ? splitMarker(text) : undefined;
    if (found === undefined) return [this.#said(stream, text, ts)];
    const { before, marker } = found;
    this.#note(marker);
    this.#options.onMarker(marker);
    const event: NewLine = { ts, stream: "event", text: describeMarker(marker), marker };
    return before === "" ? [event] : [this.#said(stream, before, ts), event];
  }

  #said(stream: (typeof streams)[number], text: string, ts: number): NewLine {
    this.#tail.push(text);
    this.#options.onText(text);
    return { ts, stream, text };
  }

  #write(lines: NewLine[]): void {
    if (lines.length === 0) return;
    this.#file.append(lines);
    this.#options.onGrowth();
  }

  #note(marker: RunnerMarker): void {
    if (endings.has(marker.phase)) this.#ending = marker;
  }

  #remember(): void {
    const records = recordsFromEnd(this.#file.file).take(rememberedRecords).toArray().reverse();
    for (const { line, marker } of records) {
      if (line.stream !== "event") this.#tail.push(line.text);
      if (marker !== undefined) this.#note(marker);
    }
  }
}
