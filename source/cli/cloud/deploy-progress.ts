// Shows the progress of a deployment on standard error.
import { type Clock, systemClock } from "../../base/clock.ts";
import { showControls } from "../../base/display-text.ts";
import { formatMilliseconds } from "../../base/formats.ts";
import { ProgressLines, type ProgressStream } from "../progress-lines.ts";

/** A step on this machine, or a phase of the control plane. */
interface Step {
  name: string;
  sentence: string;
  startedAt: number;
}

const nameWidth = 9;

/**
 * Prints a line for each step. On a terminal it has a spinner while the step runs; elsewhere it is printed
 * when the step has ended, and log lines are printed, too.
 */
export class DeployProgress {
  readonly #lines: ProgressLines | undefined;
  readonly #stream: ProgressStream;
  readonly #clock: Clock;
  readonly #isPlain: boolean;
  /** Printed log lines. */
  readonly #written = new Set<string>();
  #isRepeating = false;
  #step: Step | undefined;

  /** @param isQuiet shows nothing */
  constructor(stream: ProgressStream, isQuiet: boolean, clock: Clock = systemClock) {
    this.#stream = stream;
    this.#clock = clock;
    if (!isQuiet && stream.isTTY) this.#lines = new ProgressLines(stream, clock);
    this.#isPlain = !isQuiet && !stream.isTTY;
  }

  /** Begins a step, or changes the sentence of the current one. */
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

  /** Shows a log line of the build or the replica. */
  log(text: string): void {
    const line = text.trimEnd();
    if (line === "" || this.#isKnown(line)) return;
    if (this.#isPlain) this.#writeLogLine(line);
    else if (this.#step && this.#lines) {
      this.#lines.status(`${this.#text(this.#step)}  ${line}`, this.#step.name);
    }
  }

  /** Like `log`, for a line that `write` prints, for example on standard output. */
  logElsewhere(text: string, write: () => void): void {
    if (this.#isKnown(text.trimEnd())) return;
    this.#written.add(text.trimEnd());
    if (this.#lines) this.#lines.above(write);
    else write();
  }

  /** Prints the last lines of a log, also when quiet, without those printed before. */
  tail(lines: readonly string[]): void {
    for (const line of lines) {
      const text = line.trimEnd();
      if (text !== "" && !this.#written.has(text)) this.#writeLogLine(text);
    }
  }

  /** Skips log lines printed before, as another attempt to start mostly repeats those of the first. */
  repeat(): void {
    this.#isRepeating = true;
  }

  /** Prints a line above the current step. */
  note(sentence: string): void {
    if (this.#lines) this.#lines.print(sentence);
    else if (this.#isPlain) this.#stream.write(`${showControls(sentence)}\n`);
  }

  warn(sentence: string): void {
    this.note(`Warning: ${sentence}`);
  }

  /** Ends the display; call it before writing anything else. */
  finish(): void {
    this.#isRepeating = false;
    this.#endStep();
    this.#lines?.finish();
  }

  #isKnown(line: string): boolean {
    return this.#isRepeating && this.#written.has(line);
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
