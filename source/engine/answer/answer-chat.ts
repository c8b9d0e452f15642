// Chat answers: fits the prompt into the window, runs the model, and parses its output.
import { createOutputParser, type OutputParser } from "../../prompt/output/output-parser.ts";
import type { OutputPiece } from "../../prompt/output/output-piece.ts";
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

/** @throws ProductError of the prompt or the engine */
export async function* answerChat(
  input: ChatInput,
  prepared: PreparedChat,
  options: AnswerOptions,
): AsyncGenerator<CanonicalEvent> {
  const prompt = new ChatPrompt(input, prepared, options.ready, options.signal);
  let { messages } = prepared;
  let truncated: Truncation | undefined;
  if (options.request.truncate) {
    ({ messages, truncated } = {
      truncated,
      ...(await prompt.fit(messages, toMaxTokens(options.parameters))),
    });
    if (truncated !== undefined) yield { type: "truncated", ...truncated };
  }
  const startsInThinking = opensThinking(await prompt.segments(messages), prepared.output.thinking);
  const parser = createOutputParser({
    format: prepared.output.format,
    tools: prepared.tools,
    thinking: prepared.output.thinking,
    startsInThinking,
  });
  const grammar = prepared.grammar(startsInThinking);
  const { thinking } = prepared.output;
  const { lazyCalls: calls } = prepared;
  const lazy: LazyGrammars | undefined = calls && {
    calls,
    thinking: thinking === undefined ? undefined : { ...thinking, startsInside: startsInThinking },
  };
  const held = { grammar, ...(lazy !== undefined && { lazy }) };
  const events = generate(messages, prompt, prepared, held, options);
  for await (const event of readOutput(events, parser)) {
    // A model that no grammar limits to one call may write more.
    if ("index" in event && event.index > 0 && !input.parallelToolCalls) continue;
    if (event.type === "truncated") truncated = sumTruncation(truncated, event);
    if (event.type !== "done" && event.type !== "rendered") yield event;
    else yield { ...event, ...(truncated !== undefined && { truncated }) };
  }
}

/**
 * Yields the runner's events. With `shift`, an answer that fills the window continues without the
 * oldest turns; an answer that follows a grammar does not, since its grammar would start over.
 */
async function* generate(
  all: ChatInput["messages"],
  prompt: ChatPrompt,
  { output }: PreparedChat,
  held: Pick<GenerationRequest, "grammar" | "lazy">,
  options: AnswerOptions,
): AsyncGenerator<RunnerEvent> {
  const { request, ready, signal } = options;
  const base = generationOf(options);
  let messages = all;
  let written = "";
  let earlier: GenerationStatistics | undefined;
  for (;;) {
    const before = earlier?.completionTokens ?? 0;
    const segments = await prompt.segments(messages, written);
    if (request.renderOnly || request.onPrompt !== undefined) {
      const text = await untilAborted(prompt.text(segments), signal);
      request.onPrompt?.(text);
      if (request.renderOnly) {
        yield { type: "rendered", prompt: text, images: imagesOf(messages).length };
        return;
      }
    }
    const generation = {
      ...base,
      prompt: prompt.forRunner(segments, messages),
      maxTokens: base.maxTokens === undefined ? undefined : base.maxTokens - before,
      stop: [...base.stop, ...output.stopTexts],
      grammar: held.grammar,
      // A continued answer is not at its start, and may be inside a call.
      ...(held.lazy !== undefined && written === "" && { lazy: held.lazy }),
      visibleControlTexts: output.visibleControlTexts,
    };
    let end: DoneEvent | undefined;
    for await (const event of ready.runner.generate(generation, signal)) {
      if (event.type === "done") end = event;
      else if (event.type !== "text") yield event;
      else {
        written += event.text;
        yield { ...event, tokens: event.tokens + before };
      }
    }
    if (end === undefined) return;
    const statistics = sumStatistics(earlier, end.statistics);
    const isFull = end.reason === "length" && statistics.completionTokens !== base.maxTokens;
    const shorter =
      request.shift && isFull && held.grammar === undefined
        ? await prompt.shorten(messages)
        : undefined;
    if (shorter === undefined) {
      const context = request.wantsContext ? await prompt.context(messages, written) : undefined;
      yield { ...end, statistics, ...(context !== undefined && { context }) };
      return;
    }
    messages = shorter.messages;
    yield { type: "truncated", ...shorter.truncated };
    earlier = statistics;
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
  return {
    promptTokens: first.promptTokens,
    cachedTokens: first.cachedTokens,
    completionTokens: first.completionTokens + second.completionTokens,
    queueMs: first.queueMs + second.queueMs,
    promptMs: first.promptMs + second.promptMs,
    completionMs: first.completionMs + second.completionMs,
  };
}

type DoneEvent = Extract<CanonicalEvent, { type: "done" }>;
type RunnerEvent =
  | Exclude<GenerationEvent, { type: "done" }>
  | DoneEvent
  | Extract<CanonicalEvent, { type: "rendered" }>
  | ({ type: "truncated" } & Truncation);

/** Parses the text of an answer into events for content, thinking and tool calls. */
async function* readOutput(
  events: AsyncIterable<RunnerEvent>,
  parser: OutputParser,
): AsyncGenerator<CanonicalEvent> {
  // Log-probabilities go with the next text, since the parser may hold back the text they belong
  // to.
  let logprobs: TokenLogprob[] = [];
  let tokens = 0;
  const toEvent = (piece: OutputPiece): CanonicalEvent => {
    if (piece.type === "tool-call-end") return piece;
    if (piece.type === "tool-call-start") {
      return { type: "tool-call", index: piece.index, id: piece.id, name: piece.name, tokens };
    }
    if (piece.type === "tool-call-arguments") {
      return { type: "tool-arguments", index: piece.index, text: piece.text, tokens };
    }
    const own = logprobs.length > 0 ? { logprobs } : {};
    logprobs = [];
    return {
      type: piece.type === "content" ? "text" : "thinking",
      text: piece.text,
      tokens,
      ...own,
    };
  };
  for await (const event of events) {
    if (event.type === "text") {
      tokens = event.tokens;
      logprobs.push(...(event.logprobs ?? []));
      yield* parser.push(event.text).map(toEvent);
    } else if (event.type === "done") {
      tokens = event.statistics.completionTokens;
      yield* parser.end().map(toEvent);
      if (logprobs.length > 0) yield { type: "text", text: "", tokens, logprobs };
      yield event;
    } else {
      yield event;
    }
  }
}
