// Thinking block before an answer: its tags, and how it is read.
import type { ChatMessage } from "../chat-message.ts";
import type { PromptSegment } from "../prompt-segment.ts";
import type { Output } from "./output.ts";
import type { Reading } from "./output-text.ts";
import type { CallSyntax } from "./read-answer.ts";

export interface ThinkingTags {
  open: string;
  close: string;
}

/**
 * Reads the thinking at the beginning of an output, if any. Later tags are content: an answer may be
 * about them. Thinking without an end reaches to the end of the output, without the white space around
 * it. Calls at the end of an output count although the thinking before them was not closed; calls that
 * the model only thinks about do not.
 *
 * @param startsInside the prompt has already opened the block
 * @param calls syntax of calls, if there are tools
 * @returns white space that was read and belongs to the answer
 */
export function* readThinking(
  output: Output,
  tags: ThinkingTags,
  startsInside: boolean,
  calls?: CallSyntax,
): Reading<string> {
  const { text } = output;
  const openings = output.hasTools ? (calls?.openings ?? []) : [];
  let isInside = startsInside;
  let hasThought = startsInside;
  for (;;) {
    const space = yield* text.takeSpace();
    // A model may repeat the tag that the prompt has opened, or close one that was never open.
    const tag = yield* text.oneOf([tags.open, tags.close]);
    text.take(tag?.length ?? 0);
    if (tag === tags.close) {
      isInside = false;
      hasThought = true;
      continue;
    }
    isInside ||= tag !== undefined;
    if (!isInside) return hasThought ? "" : space;
    yield* readThought(output, [tags.close, ...openings], calls);
    if (!(yield* text.skip(tags.close))) return "";
    isInside = false;
    hasThought = true;
  }
}

/** Reads up to the closing tag, the first of the marks, or the end of the output. */
function* readThought(
  output: Output,
  marks: readonly string[],
  calls: CallSyntax | undefined,
): Reading {
  const { text } = output;
  yield* text.takeSpace();
  let spaceWithin = "";
  const pass = (piece: string) => {
    const thought = (spaceWithin + piece).trimEnd();
    output.thinking(thought);
    spaceWithin = (spaceWithin + piece).slice(thought.length);
  };
  for (;;) {
    const mark = yield* text.passUntil(marks, pass);
    if (mark === undefined || mark === marks[0] || calls === undefined) return;
    if (yield* output.undecided(readLastCalls(output, calls))) return;
    pass(text.take(1));
  }
}

/** Reads calls that the output ends with. */
function* readLastCalls(output: Output, calls: CallSyntax): Reading<boolean> {
  const { text } = output;
  do {
    if (!(yield* calls.read(output))) return false;
    yield* text.takeSpace();
  } while ((yield* text.oneOf(calls.openings)) !== undefined);
  return text.isOver;
}

/** Returns true if a rendered prompt has opened the thinking block, so that the output starts inside. */
export function opensThinking(
  prompt: readonly PromptSegment[],
  tags: ThinkingTags | undefined,
): boolean {
  if (tags === undefined) return false;
  const end = prompt.slice(-4).map(({ text }) => text);
  return end.join("").trimEnd().endsWith(tags.open);
}

/**
 * Removes the thinking that earlier answers contain in their text, everywhere before the last question.
 * Models were trained without it, and it fills the window. Applies to the families for which Ollama does
 * so (qwen3 and deepseek-r1); templates that handle thinking themselves get the messages unchanged.
 */
export function stripThinking<Message extends ChatMessage>(
  messages: readonly Message[],
  tags: ThinkingTags,
): Message[] {
  const lastQuestion = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, index) =>
    message.role === "assistant" && index < lastQuestion
      ? { ...message, content: withoutThinking(message.content, tags) }
      : message,
  );
}

function withoutThinking(content: string, tags: ThinkingTags): string {
  const begin = content.trimStart();
  if (!begin.startsWith(tags.open) || !begin.includes(tags.close)) return content;
  return begin.slice(begin.indexOf(tags.close) + tags.close.length).trimStart();
}
