// The prompt of one chat request: rendered, counted, and made to fit the window where that is allowed.

import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import type { PromptMessage, TemplateModelFacts } from "../../prompt/prompt-template.ts";
import { renderInTime } from "../../prompt/render-in-time.ts";
import type { MarkedPrompt } from "../generation.ts";
import { imagesOf } from "../images/request-images.ts";
import type { ChatInput, Truncation } from "../request.ts";
import type { ReadyModel } from "../scheduler/loaded-model.ts";
import { untilAborted } from "../scheduler/until-aborted.ts";
import { withoutOldestTurn } from "./conversation.ts";
import type { PreparedChat } from "./prepare-chat.ts";

/** The conversation without its oldest turn, without the next one too, and so on. */
function* shorterAndShorter(all: PromptMessage[]): Generator<PromptMessage[]> {
  for (let next = withoutOldestTurn(all); next !== undefined; next = withoutOldestTurn(next)) {
    yield next;
  }
}

/** The prompt of a conversation in pieces; what the model is told of depends on nothing else. */
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

/** As people read it: where an image stands, there is its mark. */
export function segmentsText(segments: readonly PromptSegment[]): string {
  return segments.map(({ text }) => text).join("");
}

export class ChatPrompt {
  readonly #input: ChatInput;
  readonly #prepared: PreparedChat;
  readonly #ready: ReadyModel;
  readonly #signal: AbortSignal;
  /** The conversation that was rendered last: counting it and answering it need the same. */
  #last: { messages: readonly PromptMessage[]; segments: PromptSegment[] } | undefined;

  /** @param signal ends rendering and its template's worker */
  constructor(input: ChatInput, prepared: PreparedChat, ready: ReadyModel, signal: AbortSignal) {
    this.#input = input;
    this.#prepared = prepared;
    this.#ready = ready;
    this.#signal = signal;
  }

  /** @param written what the model has answered so far: it goes on behind it */
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

  /** @param messages those that the segments were made of */
  forRunner(segments: PromptSegment[], messages: readonly PromptMessage[]): MarkedPrompt {
    const images = imagesOf(messages).map(({ base64 }) => base64);
    const { context: earlier } = this.#input;
    return {
      segments,
      ...(images.length > 0 && { images }),
      ...(earlier !== undefined && { earlier }),
    };
  }

  /** The prompt as people read it, the text of an earlier answer in front. */
  async text(segments: readonly PromptSegment[]): Promise<string> {
    const own = segmentsText(segments);
    const { context: earlier = [] } = this.#input;
    if (earlier.length === 0) return own;
    const { runner, facts } = this.#ready;
    const said = await runner.call("detokenize", { tokens: [...earlier] });
    // The beginning of text is not told twice.
    return said.text + (own.startsWith(facts.bosText) ? own.slice(facts.bosText.length) : own);
  }

  /** All tokens, those of an earlier answer in front; those of images are negative. */
  async tokens(segments: PromptSegment[], messages: readonly PromptMessage[]): Promise<number[]> {
    const prompt = this.forRunner(segments, messages);
    return (await this.#ready.runner.call("tokenize", prompt)).tokens;
  }

  /** The tokens that a later prompt can follow; undefined where images are among them. */
  async context(
    messages: readonly PromptMessage[],
    written: string,
  ): Promise<number[] | undefined> {
    const tokens = await this.tokens(await this.segments(messages, written), messages);
    return tokens.some((token) => token < 0) ? undefined : tokens;
  }

  /**
   * Leaves out the oldest turns until there is room for an answer: as long as may be asked for, but
   * not more than a quarter of the window. What is left may still be too long: the engine then
   * refuses it with both numbers.
   *
   * @param maxTokens of the answer, if it is limited
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
    // Rendering a long conversation takes a while: the first that fits is found by halving.
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

  /** Leaves out the oldest turn; undefined when there is none to spare. */
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
