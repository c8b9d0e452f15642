// Shows a deployment's events on standard error, and returns its outcome.
import { type Clock, systemClock } from "../../base/clock.ts";
import { showControls } from "../../base/display-text.ts";
import { formatMilliseconds } from "../../base/time-format.ts";
import { ProgressLines, type ProgressStream } from "../progress-lines.ts";

/** The display of a phase: a step on this machine, or one reported by the control plane. */
interface Step {
  name: string;
  sentence: string;
  startedAt: number;
}

const nameWidth = 9;

/**
 * On a terminal a line for each step, which turns while it runs and keeps its time. Elsewhere a line
 * for each line of the log, and one for each step when it has ended.
 */
export class DeployProgress {
  readonly #lines: ProgressLines | undefined;
  readonly #stream: ProgressStream;
  readonly #clock: Clock;
  readonly #isPlain: boolean;
  /** Lines of the log. */
  readonly #written = new Set<string>();
  #step: Step | undefined;

  /** @param isQuiet shows nothing */
  constructor(stream: ProgressStream, isQuiet: boolean, clock: Clock = systemClock) {
    this.#stream = stream;
    this.#clock = clock;
    if (!isQuiet && stream.isTTY) this.#lines = new ProgressLines(stream, clock);
    this.#isPlain = !isQuiet && !stream.isTTY;
  }

  /** The same step again changes its sentence. */
  step(name: string, sentence: string): void {
    if (this.#step?.name === name) {
      this.#step.sentence = sentence;
      this.#lines?.status(this.#text(this.#step), name);
      return;
    }
    this.#endStep();
    this.#step = { name, sentence, startedAt: this.#clock.now() };
    this.#lines?.status(this.#text(this.#step), name);
  }

  /** A line of the build's or the replica's log. */
  log(text: string): void {
    const line = text.trimEnd();
    if (line === "") return;
    if (this.#isPlain) this.#writeLogLine(line);
    else if (this.#step && this.#lines) {
      this.#lines.status(`${this.#text(this.#step)}  ${line}`, this.#step.name);
    }
  }

  /** Like `log`, for a line that `write` prints elsewhere, such as on standard output. */
  logElsewhere(text: string, write: () => void): void {
    this.#written.add(text.trimEnd());
    if (this.#lines) this.#lines.above(write);
    else write();
  }

  /** The last lines of a log, also where nothing else is shown; those that were shown are left out. */
  tail(lines: readonly string[]): void {
    for (const line of lines) {
      if (!this.#written.has(line.trimEnd())) this.#writeLogLine(line.trimEnd());
    }
  }

  /** Stays above what changes. */
  note(sentence: string): void {
    if (this.#lines) this.#lines.print(sentence);
    else if (this.#isPlain) this.#stream.write(`${showControls(sentence)}\n`);
  }

  warn(sentence: string): void {
    this.note(`Warning: ${sentence}`);
  }

  /** Leaves the lines as they are; call it before anything else is written. */
  finish(): void {
    this.#endStep();
    this.#lines?.finish();
  }

  #writeLogLine(line: string): void {
    this.#written.add(line);
    this.#stream.write(`  | ${showControls(line)}\n`);
  }

  #endStep(): void {
    const step = this.#step;
    this.#step = undefined;
    if (step === undefined) return;
    const elapsed = formatMilliseconds(this.#clock.now() - step.startedAt);
    const text = `${this.#text(step)}  ${elapsed}`;
    this.#lines?.status(text, step.name);
    if (this.#isPlain) this.#stream.write(`${text}\n`);
  }

  #text({ name, sentence }: Step): string {
    return `${name.padEnd(nameWidth)}${sentence}`;
  }
}
