// Chat answers: fits the prompt into the window, runs the model, and parses its output.

import type { OutputPiece } from "../../prompt/output/output.ts";
import { createOutputParser, type OutputParser } from "../../prompt/output/output-parser.ts";
import { opensThinking } from "../../prompt/output/thinking-block.ts";
import type {
  GenerationEvent,
  GenerationRequest,
  GenerationStatistics,
  LazyGrammars,
  TokenLogprob,
} from "../generation.ts";
import { imagesOf } from "../images/request-images.ts";
import type { CanonicalEvent, ChatInput, Truncation } from "../request.ts";
import { toMaxTokens } from "../sampling-defaults.ts";
import { untilAborted } from "../scheduler/until-aborted.ts";
import { type AnswerOptions, generationOf } from "./answer-options.ts";
import { ChatPrompt } from "./chat-prompt.ts";
import type { PreparedChat } from "./prepare-chat.ts";

type Done = Extract<GenerationEvent, { type: "done" }>;

/**
 * Yields the events of the answer. With `shift`, an answer that fills the window continues without the
 * oldest turns; an answer that follows a grammar does not, since its grammar would start over.
 *
 * @throws ProductError of the prompt or the engine
 */
export async function* answerChat(
  input: ChatInput,
  prepared: PreparedChat,
  options: AnswerOptions,
): AsyncGenerator<CanonicalEvent> {
  const { request, ready, signal } = options;
  const prompt = new ChatPrompt(input, prepared, ready, signal);
  let { messages } = prepared;
  let truncated: Truncation | undefined;
  if (request.truncate) {
    ({ messages, truncated } = {
      truncated,
      ...(await prompt.fit(messages, toMaxTokens(options.parameters))),
    });
    if (truncated !== undefined) yield { type: "truncated", ...truncated };
  }
  const startsInThinking = opensThinking(await prompt.segments(messages), prepared.output.thinking);
  const reader = new OutputReader(prepared, startsInThinking, input.parallelToolCalls);
  const base = requestOf(prepared, startsInThinking, options);
  let written = "";
  let earlier: GenerationStatistics | undefined;
  for (;;) {
    const before = earlier?.completionTokens ?? 0;
    const segments = await prompt.segments(messages, written);
    if (request.renderOnly || request.onPrompt !== undefined) {
      const text = await untilAborted(prompt.text(segments), signal);
      request.onPrompt?.(text);
      if (request.renderOnly) {
        const images = imagesOf(messages).length;
        const tokens = (await untilAborted(prompt.tokens(segments, messages), signal)).length;
        yield { type: "rendered", prompt: text, tokens, images, ...(truncated && { truncated }) };
        return;
      }
    }
    const generation = continued(base, prompt.forRunner(segments, messages), written, before);
    let end: Done | undefined;
    for await (const event of ready.runner.generate(generation, signal, request.answerNow)) {
      if (event.type === "done") end = event;
      else if (event.type !== "text") yield event;
      else {
        written += event.text;
        for (const read of reader.push({ ...event, tokens: event.tokens + before })) yield read;
      }
    }
    if (end === undefined) return;
    const statistics = sumStatistics(earlier, end.statistics);
    const isFull = end.reason === "length" && statistics.completionTokens !== base.maxTokens;
    const mayShift = request.shift && isFull && base.grammar === undefined;
    const shorter = mayShift ? await prompt.shorten(messages) : undefined;
    if (shorter === undefined) {
      const context = request.wantsContext ? await prompt.context(messages, written) : undefined;
      for (const read of reader.end(statistics.completionTokens)) yield read;
      yield {
        ...end,
        statistics,
        ...(context && { context }),
        ...(truncated && { truncated }),
        ...(reader.callsNotRead > 0 && { callsNotRead: reader.callsNotRead }),
      };
      return;
    }
    messages = shorter.messages;
    truncated = sumTruncation(truncated, shorter.truncated);
    yield { type: "truncated", ...shorter.truncated };
    earlier = statistics;
  }
}

/** Returns the runner's request without its prompt. */
function requestOf(
  { output, grammar, lazyCalls: calls }: PreparedChat,
  startsInThinking: boolean,
  options: AnswerOptions,
): Omit<GenerationRequest, "prompt"> {
  const { thinking } = output;
  const lazy: LazyGrammars | undefined = calls && {
    calls,
    thinking: thinking === undefined ? undefined : { ...thinking, startsInside: startsInThinking },
  };
  const base = generationOf(options);
  return {
    ...base,
    stop: [...base.stop, ...output.stopTexts],
    grammar: grammar(startsInThinking),
    ...(lazy !== undefined && { lazy }),
    ...(thinking !== undefined && {
      thinking: { ...thinking, startsInside: startsInThinking, budget: thinkingBudget(options) },
    }),
    visibleControlTexts: output.visibleControlTexts,
  };
}

/** Returns the most tokens of thinking; -1 stands for no limit. */
function thinkingBudget({ parameters }: AnswerOptions): number | undefined {
  const { reasoning_budget: budget = -1 } = parameters;
  return budget < 0 ? undefined : budget;
}

/** @param tokens number of those in the text written so far */
function continued(
  { lazy, thinking, ...base }: Omit<GenerationRequest, "prompt">,
  prompt: GenerationRequest["prompt"],
  written: string,
  tokens: number,
): GenerationRequest {
  return {
    ...base,
    prompt,
    maxTokens: base.maxTokens === undefined ? undefined : base.maxTokens - tokens,
    // A continued answer is not at its start, and may be inside a call or a thought.
    ...(lazy !== undefined && written === "" && { lazy }),
    ...(thinking !== undefined && written === "" && { thinking }),
  };
}

/** Turns the text of an answer into content, thinking and tool calls. */
class OutputReader {
  readonly #parser: OutputParser;
  readonly #parallelToolCalls: boolean;
  /** Log-probabilities go with the next text, since the parser may hold back the text they belong to. */
  #logprobs: TokenLogprob[] = [];
  #tokens = 0;

  constructor(
    { output: { format, thinking }, tools, lazyCalls }: PreparedChat,
    startsInThinking: boolean,
    parallelToolCalls: boolean,
  ) {
    const readsLooseCalls = lazyCalls?.readsLooseCalls === true;
    this.#parser = createOutputParser({
      format,
      tools,
      thinking,
      startsInThinking,
      readsLooseCalls,
    });
    this.#parallelToolCalls = parallelToolCalls;
  }

  get callsNotRead(): number {
    return this.#parser.callsNotRead;
  }

  push(event: Extract<GenerationEvent, { type: "text" }>): CanonicalEvent[] {
    this.#tokens = event.tokens;
    this.#logprobs.push(...(event.logprobs ?? []));
    return this.#read(this.#parser.push(event.text));
  }

  /** @param tokens number of all tokens of the answer */
  end(tokens: number): CanonicalEvent[] {
    this.#tokens = tokens;
    const events = this.#read(this.#parser.end());
    const logprobs = this.#logprobs;
    return logprobs.length === 0
      ? events
      : [...events, { type: "text", text: "", tokens, logprobs }];
  }

  #read(pieces: readonly OutputPiece[]): CanonicalEvent[] {
    // A model that no grammar limits to one call may write more.
    return pieces
      .map((piece) => this.#toEvent(piece))
      .filter((event) => this.#parallelToolCalls || !("index" in event) || event.index === 0);
  }

  #toEvent(piece: OutputPiece): CanonicalEvent {
    const tokens = this.#tokens;
    switch (piece.type) {
      case "tool-call-end":
        return piece;
      case "tool-call-start":
        return { ...piece, type: "tool-call", tokens };
      case "tool-call-arguments":
        return { type: "tool-arguments", index: piece.index, text: piece.text, tokens };
      default: {
        const logprobs = this.#logprobs;
        this.#logprobs = [];
        const type = piece.type === "content" ? "text" : "thinking";
        return { type, text: piece.text, tokens, ...(logprobs.length > 0 && { logprobs }) };
      }
    }
  }
}

function sumTruncation(first: Truncation | undefined, second: Truncation): Truncation {
  return {
    messages: (first?.messages ?? 0) + second.messages,
    tokens: (first?.tokens ?? 0) + second.tokens,
  };
}

function sumStatistics(
  first: GenerationStatistics | undefined,
  second: GenerationStatistics,
): GenerationStatistics {
  if (first === undefined) return second;
  const drafted = (first.drafted ?? 0) + (second.drafted ?? 0);
  const accepted = (first.accepted ?? 0) + (second.accepted ?? 0);
  const draftSpeed = second.draftSpeed ?? first.draftSpeed;
  return {
    promptTokens: first.promptTokens,
    cachedTokens: first.cachedTokens,
    completionTokens: first.completionTokens + second.completionTokens,
    ...(drafted > 0 && { drafted, accepted }),
    ...(draftSpeed !== undefined && { draftSpeed }),
    queueMs: first.queueMs + second.queueMs,
    promptMs: first.promptMs + second.promptMs,
    completionMs: first.completionMs + second.completionMs,
  };
}
