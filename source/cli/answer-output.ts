// Output of `run` and the line chat besides the answer: progress, thinking, statistics, notes.
import chalk from "chalk";
import { formatGoDuration } from "../base/formats.ts";
import { type AnswerStatistics, type ChatEvent, prefillRate } from "../client/chat-events.ts";

const labelWidth = 22;
/** Reading a shorter prompt is not worth showing. */
const longPromptTokens = 500;

/** A line on a terminal that shows what the command waits for, and warnings, which stay. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  #isShown = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(event: ChatEvent, model: string): void {
    if (event.type === "warning") {
      this.clear();
      this.#stream.write(`${event.sentence}\n`);
      return;
    }
    if (!this.#stream.isTTY) return;
    const text = progressText(event, model);
    if (text === undefined) return;
    this.#isShown = true;
    this.#stream.write(`\r\u001b[K${text}`);
  }

  clear(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[K");
    this.#isShown = false;
  }
}

/** Returns the text for a wait; undefined for other events. */
export function progressText(event: ChatEvent, model: string): string | undefined {
  switch (event.type) {
    case "starting":
      return "starting the server";
    case "checking":
      return `checking ${event.file} ${percent(event.fraction)}`;
    case "loading":
      return `loading ${model} ${percent(event.fraction)}`;
    case "warming-up":
      return `warming up ${model}`;
    case "queued":
      return event.ahead === 0 ? "waiting, next in line" : `waiting, ${event.ahead} ahead`;
    case "prompt":
      return event.totalTokens < longPromptTokens
        ? undefined
        : `reading ${event.totalTokens} tokens ${percent(event.completedTokens / event.totalTokens)}`;
    default:
      return undefined;
  }
}

function percent(fraction: number): string {
  return `${Math.floor(fraction * 100)} %`;
}

/** Prints a model's thinking before its answer: in grey on a terminal, not at all elsewhere. */
export class ThinkingText {
  readonly #isShown: boolean;
  #isOpen = false;

  constructor(isHidden: boolean, isTerminal: boolean = process.stdout.isTTY) {
    this.#isShown = isTerminal && !isHidden;
  }

  push(text: string): void {
    if (!this.#isShown) return;
    if (!this.#isOpen) process.stdout.write("Thinking...\n");
    this.#isOpen = true;
    process.stdout.write(chalk.grey(text));
  }

  /** Ends the thinking, before the answer or without one. */
  end(): void {
    if (this.#isOpen) process.stdout.write("\n...done thinking.\n\n");
    this.#isOpen = false;
  }
}

/** Formats the statistics of --verbose as Ollama does, without fields that are 0. */
export function formatStatistics(statistics: AnswerStatistics): string {
  const { promptTokens, cachedTokens, completionTokens } = statistics;
  const { drafted = 0, accepted = 0, draftSpeed } = statistics;
  const { totalMs, loadMs, promptMs, completionMs } = statistics;
  const promptRate = prefillRate(statistics);
  const rows: Array<[label: string, value: string, show: boolean]> = [
    ["total duration", formatGoDuration(totalMs), totalMs > 0],
    ["load duration", formatGoDuration(loadMs), loadMs > 0],
    ["prompt eval count", `${promptTokens} token(s)`, promptTokens > 0],
    ["prompt cached count", `${cachedTokens} token(s)`, cachedTokens > 0],
    ["prompt eval duration", formatGoDuration(promptMs), promptMs > 0],
    ["prompt eval rate", rateText(promptRate ?? 0), promptRate !== undefined],
    ["eval count", `${completionTokens} token(s)`, completionTokens > 0],
    ["eval duration", formatGoDuration(completionMs), completionMs > 0],
    // The first token comes with the prompt; the others take the time.
    ["eval rate", rateText(((completionTokens - 1) / completionMs) * 1000), completionMs > 0],
    ["drafted count", `${drafted} token(s), ${accepted} accepted`, drafted > 0],
    ["draft off", `${draftSpeed?.toFixed(2)} of plain speed`, draftSpeed !== undefined],
  ];
  return rows
    .filter(([, , show]) => show)
    .map(([label, value]) => `${`${label}:`.padEnd(labelWidth)}${value}\n`)
    .join("");
}

function rateText(tokensPerSecond: number): string {
  return `${tokensPerSecond.toFixed(2)} tokens/s`;
}

/** Returns a sentence for each deviation from the request, except the length limit. */
export function endingSentences({ finishReason, truncated }: AnswerStatistics): string[] {
  return [
    ...(truncated === undefined
      ? []
      : [`${truncationText(truncated)}, to fit the context window.`]),
    ...(finishReason === "cancelled" ? ["The server cancelled the answer."] : []),
  ];
}

function truncationText({ messages }: { messages: number }): string {
  return messages === 1
    ? "The oldest message was left out"
    : `The ${messages} oldest messages were left out`;
}
