// The block in which a model thinks before it answers: its tags, and how it is read.
import type { ChatMessage } from "../chat-message.ts";
import type { PromptSegment } from "../prompt-segment.ts";
import type { Output } from "./output.ts";
import type { Reading } from "./output-text.ts";

export interface ThinkingTags {
  open: string;
  close: string;
}

/**
 * Reads the thinking at the beginning of an output, if there is any. Tags that come later are
 * content: an answer may be about them. Thinking that never ends is thinking to the end, and the
 * white space around it is dropped.
 *
 * @param startsInside the prompt has already opened the block
 * @returns white space that was read and belongs to the answer
 */
export function* readThinking(
  output: Output,
  tags: ThinkingTags,
  startsInside: boolean,
): Reading<string> {
  const { text } = output;
  let isInside = startsInside;
  let hasThought = startsInside;
  for (;;) {
    const space = yield* text.takeSpace();
    // A model may repeat the tag that the prompt has opened for it.
    isInside = (yield* text.skip(tags.open)) || isInside;
    if (!isInside) return hasThought ? "" : space;
    yield* text.takeSpace();
    let spaceWithin = "";
    const mark = yield* text.passUntil([tags.close], (piece) => {
      const thought = (spaceWithin + piece).trimEnd();
      output.thinking(thought);
      spaceWithin = (spaceWithin + piece).slice(thought.length);
    });
    if (mark === undefined) return "";
    text.take(mark.length);
    isInside = false;
    hasThought = true;
  }
}

/**
 * Whether a rendered prompt has already opened the thinking block, so that the output begins inside.
 */
export function opensThinking(
  prompt: readonly PromptSegment[],
  tags: ThinkingTags | undefined,
): boolean {
  if (tags === undefined) return false;
  const end = prompt.slice(-4).map(({ text }) => text);
  return end.join("").trimEnd().endsWith(tags.open);
}

/**
 * The conversation without the thinking that earlier answers carry in their text: everything before
 * the last question. Models were trained without it, and it fills the window. Which families want
 * this is what Ollama does for qwen3 and deepseek-r1; a template that keeps thinking by itself gets
 * the messages as they are.
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
