// Prompt of one chat request: rendered, counted, and shortened to fit the window if allowed.

import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import type { PromptMessage, TemplateModelFacts } from "../../prompt/prompt-template.ts";
import { renderInTime } from "../../prompt/render-in-time.ts";
import type { MarkedPrompt } from "../generation.ts";
import { imagesOf } from "../images/request-images.ts";
import type { ChatInput, Truncation } from "../request.ts";
import type { ReadyModel } from "../scheduler/loaded-model.ts";
import { untilAborted } from "../scheduler/until-aborted.ts";
import type { PreparedChat } from "./prepare-chat.ts";

/**
 * Removes the oldest turn: a question with everything that answers it. System prompts and the last
 * turn stay.
 *
 * @returns undefined when nothing can be left out
 */
export function withoutOldestTurn(messages: readonly PromptMessage[]): PromptMessage[] | undefined {
  const isSystem = ({ role }: PromptMessage) => role === "system";
  const first = messages.findIndex((message) => !isSystem(message));
  const lastQuestion = messages.findLastIndex(({ role }) => role === "user");
  const next = messages.findIndex(({ role }, index) => index > first && role === "user");
  const end = next === -1 ? lastQuestion : next;
  if (first === -1 || end <= first) return undefined;
  return messages.filter((message, index) => isSystem(message) || index < first || index >= end);
}

/** Yields the conversation without its oldest turn, then without the next one too, and so on. */
function* shorterAndShorter(all: PromptMessage[]): Generator<PromptMessage[]> {
  for (let next = withoutOldestTurn(all); next !== undefined; next = withoutOldestTurn(next)) {
    yield next;
  }
}

/** Renders a conversation into segments. */
export async function renderSegments(
  {
    template,
    tools,
    think,
    variables,
    templateTimeoutMs,
  }: Pick<PreparedChat, "template" | "tools" | "think" | "variables" | "templateTimeoutMs">,
  messages: readonly PromptMessage[],
  facts: TemplateModelFacts,
  suffix?: string,
  signal?: AbortSignal,
): Promise<PromptSegment[]> {
  const conversation = {
    messages,
    tools,
    variables,
    ...(think !== undefined && { think }),
    ...(suffix !== undefined && { suffix }),
  };
  return await renderInTime(template, conversation, facts, templateTimeoutMs, signal);
}

/** Returns the prompt as people read it, with marks in place of images. */
export function segmentsText(segments: readonly PromptSegment[]): string {
  return segments.map(({ text }) => text).join("");
}

export class ChatPrompt {
  readonly #input: ChatInput;
  readonly #prepared: PreparedChat;
  readonly #ready: ReadyModel;
  readonly #signal: AbortSignal;
  /** Last rendered conversation: counting it and answering it need the same segments. */
  #last: { messages: readonly PromptMessage[]; segments: PromptSegment[] } | undefined;

  /** @param signal ends rendering and its template's worker */
  constructor(input: ChatInput, prepared: PreparedChat, ready: ReadyModel, signal: AbortSignal) {
    this.#input = input;
    this.#prepared = prepared;
    this.#ready = ready;
    this.#signal = signal;
  }

  /** @param written answer so far, which the model continues */
  async segments(messages: readonly PromptMessage[], written = ""): Promise<PromptSegment[]> {
    const { facts } = this.#ready;
    if (this.#last?.messages !== messages) {
      const segments = await untilAborted(
        renderSegments(this.#prepared, messages, facts, this.#input.suffix, this.#signal),
        this.#signal,
      );
      this.#last = { messages, segments };
    }
    const { segments } = this.#last;
    return written === "" ? segments : [...segments, { text: written, special: false }];
  }

  /** @param messages the conversation that the segments were made of */
  forRunner(segments: PromptSegment[], messages: readonly PromptMessage[]): MarkedPrompt {
    const images = imagesOf(messages).map(({ base64 }) => base64);
    const { context: earlier } = this.#input;
    return {
      segments,
      ...(images.length > 0 && { images }),
      ...(earlier !== undefined && { earlier }),
    };
  }

  /** Returns the prompt as people read it, with the text of an earlier answer in front. */
  async text(segments: readonly PromptSegment[]): Promise<string> {
    const own = segmentsText(segments);
    const { context: earlier = [] } = this.#input;
    if (earlier.length === 0) return own;
    const { runner, facts } = this.#ready;
    const said = await runner.call("detokenize", { tokens: [...earlier] });
    // Skips the second begin-of-text token.
    return said.text + (own.startsWith(facts.bosText) ? own.slice(facts.bosText.length) : own);
  }

  /** Returns all tokens, with those of an earlier answer in front; image tokens are negative. */
  async tokens(segments: PromptSegment[], messages: readonly PromptMessage[]): Promise<number[]> {
    const prompt = this.forRunner(segments, messages);
    return (await this.#ready.runner.call("tokenize", prompt)).tokens;
  }

  /** Returns the tokens that a later prompt can continue; undefined if images are among them. */
  async context(
    messages: readonly PromptMessage[],
    written: string,
  ): Promise<number[] | undefined> {
    const tokens = await this.tokens(await this.segments(messages, written), messages);
    return tokens.some((token) => token < 0) ? undefined : tokens;
  }

  /**
   * Leaves out the oldest turns until there is room for an answer of the requested length, at most
   * a quarter of the window. The result may still be too long: the engine then refuses it and names
   * both numbers.
   *
   * @param maxTokens limit of the answer, if any
   */
  async fit(
    all: PromptMessage[],
    maxTokens: number | undefined,
  ): Promise<{ messages: PromptMessage[]; truncated?: Truncation }> {
    const { contextLength } = this.#ready.facts;
    const room = Math.min(maxTokens ?? contextLength, Math.floor(contextLength / 4));
    const whole = await this.#count(all);
    if (whole <= contextLength - room) return { messages: all };
    const shorter = [...shorterAndShorter(all)];
    // Rendering a long conversation takes a while: a binary search finds the first that fits.
    let fewest = 0;
    let most = shorter.length - 1;
    while (fewest < most) {
      const middle = Math.floor((fewest + most) / 2);
      if ((await this.#count(shorter[middle] ?? all)) <= contextLength - room) most = middle;
      else fewest = middle + 1;
    }
    const messages = shorter[fewest];
    if (messages === undefined) return { messages: all };
    const tokens = whole - (await this.#count(messages));
    return { messages, truncated: { messages: all.length - messages.length, tokens } };
  }

  /** Leaves out the oldest turn; undefined when only the last one is left. */
  async shorten(
    all: PromptMessage[],
  ): Promise<{ messages: PromptMessage[]; truncated: Truncation } | undefined> {
    const messages = withoutOldestTurn(all);
    if (messages === undefined) return undefined;
    const tokens = (await this.#count(all)) - (await this.#count(messages));
    return { messages, truncated: { messages: all.length - messages.length, tokens } };
  }

  async #count(messages: readonly PromptMessage[]): Promise<number> {
    return (await this.tokens(await this.segments(messages), messages)).length;
  }
}
