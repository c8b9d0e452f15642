// Reads the text of an answer through a parser and turns content, thinking and tool calls into
// separate events.
import type { OutputParser } from "../../prompt/output/output-parser.ts";
import type { OutputPiece } from "../../prompt/output/output-piece.ts";
import type { GenerationEvent, TokenLogprob } from "../generation.ts";
import type { CanonicalEvent, Truncation } from "../request.ts";

export type DoneEvent = Extract<CanonicalEvent, { type: "done" }>;
export type RunnerEvent =
  | Exclude<GenerationEvent, { type: "done" }>
  | DoneEvent
  | Extract<CanonicalEvent, { type: "rendered" }>
  | ({ type: "truncated" } & Truncation);

export async function* readOutput(
  events: AsyncIterable<RunnerEvent>,
  parser: OutputParser,
): AsyncGenerator<CanonicalEvent> {
  // Log-probabilities go with the next text, since the parser may hold back the text they belong to.
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
