// A scripted model in place of the HTTP client.

import type {
  ChatBackend,
  ChatSettings,
  ModelChoice,
  ShowTopic,
} from "../../../source/chat/chat-backend.ts";
import type {
  ChatEvent,
  ClientMessage,
  ClientTool,
  ModelFacts,
} from "../../../source/client/chat-events.ts";

export class ScriptedAnswer {
  readonly messages: readonly ClientMessage[];
  readonly settings: ChatSettings;
  readonly signal: AbortSignal;
  readonly answerNow: AbortSignal | undefined;
  #queue: (ChatEvent | Error | "end")[] = [];
  #wake: (() => void) | undefined;

  constructor(
    messages: readonly ClientMessage[],
    settings: ChatSettings,
    signal: AbortSignal,
    answerNow?: AbortSignal,
  ) {
    this.answerNow = answerNow;
    this.messages = messages;
    this.settings = settings;
    this.signal = signal;
    signal.addEventListener("abort", () => this.#wake?.());
  }

  text(text: string): this {
    return this.#push({ type: "text", text });
  }

  event(event: ChatEvent): this {
    return this.#push(event);
  }

  /** Ends the answer with round figures for the status line. */
  done(finishReason: "stop" | "length" = "stop"): this {
    return this.#push({
      type: "done",
      statistics: {
        finishReason,
        promptTokens: 12,
        cachedTokens: 0,
        completionTokens: 31,
        loadMs: 0,
        promptMs: 40,
        completionMs: 500,
        totalMs: 600,
      },
    });
  }

  fail(sentence: string): this {
    return this.#push(new Error(sentence));
  }

  /** Ends the stream without a `done`. */
  breakOff(): this {
    return this.#push("end");
  }

  async *stream(): AsyncGenerator<ChatEvent> {
    for (;;) {
      const item = this.#queue.shift();
      if (item === "end") return;
      if (item instanceof Error) throw item;
      if (item !== undefined) {
        yield item;
        continue;
      }
      if (this.signal.aborted) throw new Error("The request was aborted.");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #push(item: ChatEvent | Error | "end"): this {
    this.#queue.push(item);
    this.#wake?.();
    return this;
  }
}

export class ScriptedBackend implements ChatBackend {
  facts: ModelFacts;
  readonly answers: ScriptedAnswer[] = [];
  /** Created models, with their messages. */
  readonly saved: Array<{ name: string; messages: readonly ClientMessage[] }> = [];
  /** Makes the model a vision model. */
  canSee = true;
  /** Lets the model call tools. */
  hasTools = true;

  constructor(facts: Partial<ModelFacts> = {}) {
    this.facts = { name: "tiny", contextLength: 4096, card: "Tells short stories.", ...facts };
  }

  /** The answer to the newest request. */
  get current(): ScriptedAnswer {
    const answer = this.answers.at(-1);
    if (answer === undefined) throw new Error("Nothing was sent yet.");
    return answer;
  }

  chat(
    messages: readonly ClientMessage[],
    settings: ChatSettings,
    signal: AbortSignal,
    answerNow?: AbortSignal,
  ): AsyncIterable<ChatEvent> {
    // As the HTTP client, which does not send what was typed.
    const sent = messages.map(({ typed: _, ...message }) => message);
    const answer = new ScriptedAnswer(sent, settings, signal, answerNow);
    this.answers.push(answer);
    return answer.stream();
  }

  serverLabel(): string {
    return "● 127.0.0.1:11434";
  }

  async show(topic: ShowTopic): Promise<string> {
    return topic === "license" ? "" : `${topic} of ${this.facts.name}`;
  }

  async models(): Promise<readonly ModelChoice[]> {
    return [
      { name: "tiny", sizeText: "2 MB" },
      { name: "large", sizeText: "20 GB" },
    ];
  }

  async use(model: string): Promise<void> {
    const known = await this.models();
    if (!known.some(({ name }) => name === model)) throw new Error(`model '${model}' not found`);
    this.facts = { ...this.facts, name: model };
  }

  async sees(): Promise<boolean> {
    return this.canSee;
  }

  async callsTools(): Promise<boolean> {
    return this.hasTools;
  }

  async countTokens(
    messages: readonly ClientMessage[],
    _settings?: ChatSettings,
    _signal?: AbortSignal,
    tools: readonly ClientTool[] = [],
  ): Promise<number> {
    return messages.length * 10 + tools.length * 100;
  }

  async imageTokens(): Promise<number> {
    return 36;
  }

  async save(name: string, messages: readonly ClientMessage[]): Promise<void> {
    this.saved.push({ name, messages });
  }
}
