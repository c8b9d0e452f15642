// Records an answer in the request log, the metrics and the transcript. A request may ask for
// several answers; its record then holds their sum.
import type { CacheMiss } from "../engine/generation.ts";
import type { CanonicalEvent, CanonicalRequest } from "../engine/request.ts";
import type { RequestRecord } from "../request-log/request-record.ts";
import type { ResolvedModel } from "../store/model-catalog.ts";
import type { ServerDependencies } from "./dependencies.ts";
import type { Warn } from "./warnings.ts";

type Dependencies = Pick<ServerDependencies, "requestLog" | "metrics" | "transcripts">;

type DoneEvent = Extract<CanonicalEvent, { type: "done" }>;

export class AnswerNotes {
  readonly #dependencies: Dependencies;
  readonly #record: RequestRecord | undefined;
  readonly #model: ResolvedModel;
  readonly #warn: Warn;
  #prompt = { promptTokens: 0, cachedTokens: 0 };
  #hasStarted = false;
  #hasText = false;
  /** Counts of this answer so far. */
  #tokens = 0;
  /** Monotonic milliseconds. */
  #readingSince = 0;
  #guesses = { drafted: 0, accepted: 0 };
  #queueMs: number | undefined;
  #completionMs: number | undefined;
  #isThinking = false;
  #reloadedAfter: string | undefined;

  constructor(
    dependencies: Dependencies,
    record: RequestRecord | undefined,
    model: ResolvedModel,
    warn: Warn,
  ) {
    this.#dependencies = dependencies;
    this.#record = record;
    this.#model = model;
    this.#warn = warn;
  }

  /** @returns the request as it will be run */
  begin(canonical: CanonicalRequest): CanonicalRequest {
    this.#update({ parameters: parametersInForce(canonical, this.#model) });
    const { transcripts } = this.#dependencies;
    const id = this.#record?.id;
    if (!transcripts.isRecording || id === undefined) return canonical;
    return { ...canonical, onPrompt: (text) => transcripts.addPrompt(id, text) };
  }

  note(event: CanonicalEvent): void {
    switch (event.type) {
      case "warning":
        this.#warn(event.sentence);
        break;
      case "loaded":
        this.#reloadedAfter = event.reloadedAfter;
        this.#update({ loadMs: event.loadMs });
        break;
      case "started": {
        const { promptTokens, cachedTokens, cachedFrom, slot } = event;
        this.#hasStarted = true;
        this.#readingSince = performance.now();
        if (event.thinkingBudget !== undefined) {
          this.#warn(
            `Reduced the budget for thinking to ${event.thinkingBudget} tokens: the answer has no more room.`,
          );
        }
        this.#prompt = { promptTokens, cachedTokens };
        const cacheMiss = missText(event.cacheMiss, this.#reloadedAfter);
        this.#update({
          promptTokens,
          cachedTokens,
          ...(cachedFrom !== undefined && { cachedFrom }),
          ...(cacheMiss !== undefined && { cacheMiss }),
          slot,
        });
        break;
      }
      case "prompt":
        this.#update({
          readTokens: event.completedTokens,
          promptMs: performance.now() - this.#readingSince,
        });
        break;
      case "text":
      case "tool-arguments":
        this.#noteText(event.tokens, event.text);
        break;
      case "thinking":
        this.#noteText(event.tokens, event.text, true);
        break;
      case "tool-call":
        this.#noteText(event.tokens, `\n[tool call] ${event.name} `);
        if (event.isLoose) this.#noteLooseCall(event.name);
        break;
      case "done":
        this.#noteDone(event);
    }
  }

  /** Must be called whatever the outcome. */
  end(): void {
    if (!this.#hasStarted) return;
    this.#dependencies.metrics.answerEnded({
      model: this.#model.name,
      ...this.#prompt,
      completionTokens: this.#tokens,
      ...this.#guesses,
      queueMs: this.#queueMs,
      completionMs: this.#completionMs,
    });
  }

  #noteDone({ statistics, reason, callsNotRead = 0 }: DoneEvent): void {
    if (callsNotRead > 0) {
      this.#dependencies.metrics.callsNotRead(callsNotRead);
      this.#warn("Left a tool call as text: its arguments do not fulfil the tool's schema.");
    }
    const { completionTokens, drafted, accepted, draftSpeed } = statistics;
    const { queueMs, promptMs, completionMs } = statistics;
    this.#count(completionTokens);
    this.#guesses = { drafted: drafted ?? 0, accepted: accepted ?? 0 };
    this.#queueMs = queueMs;
    this.#completionMs = completionMs;
    const isMeasured = completionTokens > 1 && completionMs > 0;
    this.#update({
      finishReason: reason,
      queueMs,
      promptMs,
      completionMs,
      ...(drafted !== undefined && { drafted, accepted }),
      ...(draftSpeed !== undefined && { draftSpeed }),
      // The first token comes with the prompt; the others take the generation time.
      ...(isMeasured && { tokensPerSecond: ((completionTokens - 1) / completionMs) * 1000 }),
    });
  }

  #noteLooseCall(name: string): void {
    this.#dependencies.metrics.callReadFromText();
    this.#warn(
      `Read a call of ${name} from text: the model wrote it without its template's marks.`,
    );
  }

  #noteText(tokens: number, text: string, isThinking = false): void {
    this.#noteFirst();
    this.#count(tokens);
    this.#transcribe(text, isThinking);
  }

  /** Measures each answer of a request; the record shows the first one. */
  #noteFirst(): void {
    const record = this.#record;
    if (record === undefined || this.#hasText) return;
    this.#hasText = true;
    const firstTokenMs = Date.now() - record.startedAt;
    this.#dependencies.metrics.firstTokenAfter(firstTokenMs);
    if (record.firstTokenMs === undefined) this.#update({ firstTokenMs });
  }

  #count(tokens: number): void {
    const more = tokens - this.#tokens;
    this.#tokens = tokens;
    this.#dependencies.metrics.tokensGenerated(this.#model.name, more);
    this.#update({ completionTokens: (this.#record?.completionTokens ?? 0) + more });
  }

  #transcribe(text: string, isThinking: boolean): void {
    const { transcripts } = this.#dependencies;
    if (!transcripts.isRecording || this.#record === undefined) return;
    const mark = isThinking === this.#isThinking ? "" : isThinking ? "[thinking] " : "\n[answer] ";
    this.#isThinking = isThinking;
    transcripts.addAnswer(this.#record.id, mark + text);
  }

  #update(change: Partial<RequestRecord>): void {
    if (this.#record !== undefined) this.#dependencies.requestLog.update(this.#record, change);
  }
}

/** A reloaded model has lost its prompt cache. */
function missText(
  miss: CacheMiss | undefined,
  reloadedAfter: string | undefined,
): string | undefined {
  if (miss !== "first prompt" || reloadedAfter === undefined) return miss;
  return `first prompt since the model was loaded again: ${reloadedAfter}`;
}

const longestText = 60;
const maxTexts = 8;

/** Parameters in force: the model's, overridden by the request's; short, and without content. */
function parametersInForce(
  canonical: CanonicalRequest,
  model: ResolvedModel,
): Record<string, unknown> {
  const { input, format, think, truncate, shift } = canonical;
  const chat = input.kind === "chat" ? input : undefined;
  return Object.fromEntries(
    Object.entries({
      ...model.parameters,
      ...canonical.parameters,
      format: format?.kind,
      think,
      tools: chat === undefined || chat.tools.length === 0 ? undefined : chat.tools.length,
      truncate: truncate || undefined,
      shift: shift || undefined,
      messages: chat?.messages.length,
    })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, Array.isArray(value) ? shortTexts(value) : value]),
  );
}

function shortTexts(values: readonly unknown[]): string[] {
  return values.slice(0, maxTexts).map((value) => String(value).slice(0, longestText));
}
