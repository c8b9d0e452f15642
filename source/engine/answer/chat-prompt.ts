// Prompt of one chat request: rendered, counted, and shortened to fit the window if allowed.
import { ProductError } from "../../base/product-error.ts";
import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import type { PromptMessage, TemplateModelFacts } from "../../prompt/prompt-template.ts";
import { renderInTime } from "../../prompt/render-in-time.ts";
import { engineErrors } from "../errors.ts";
import type { MarkedPrompt } from "../generation.ts";
import { imagesOf } from "../images/request-images.ts";
import type { ChatInput, Truncation } from "../request.ts";
import type { ReadyModel } from "../scheduler/loaded-model.ts";
import { untilAborted } from "../scheduler/until-aborted.ts";
import type { PreparedChat } from "./prepare-chat.ts";

const maxShortened = 20_000;

const isSystem = ({ role }: PromptMessage) => role === "system";

/**
 * Returns where a shorter conversation may begin: at each question but the first. A turn is a question
 * with everything that answers it; system prompts and the last turn stay.
 */
export function turnStarts(messages: readonly PromptMessage[]): number[] {
  const first = messages.findIndex((message) => !isSystem(message));
  return messages.flatMap(({ role }, index) => (role === "user" && index > first ? [index] : []));
}

/** Returns the conversation from a turn on, with all system prompts. */
export function fromTurn(messages: readonly PromptMessage[], start: number): PromptMessage[] {
  return messages.filter((message, index) => index >= start || isSystem(message));
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
   * @throws ProductError `ENGINE_PROMPT_TOO_LONG` for more messages than can be counted in a few seconds
   */
  async fit(
    all: PromptMessage[],
    maxTokens: number | undefined,
  ): Promise<{ messages: PromptMessage[]; truncated?: Truncation }> {
    if (all.length > maxShortened) {
      throw new ProductError(engineErrors.promptTooLong, {
        message: `The conversation has ${all.length} messages; at most ${maxShortened} can be shortened.`,
        hint: "Leave out the oldest ones.",
      });
    }
    const { contextLength } = this.#ready.facts;
    const room = Math.min(maxTokens ?? contextLength, Math.floor(contextLength / 4));
    const whole = await this.#count(all);
    if (whole <= contextLength - room) return { messages: all };
    const starts = turnStarts(all);
    if (starts.length === 0) return { messages: all };
    const messages = await this.#longestFitting(all, starts, contextLength - room);
    const tokens = whole - (await this.#count(messages));
    return { messages, truncated: { messages: all.length - messages.length, tokens } };
  }

  /**
   * Returns as many of the last turns as fit. Rendering a long conversation takes a while, so it tries
   * twice as many each time until they are too many, and then searches between the last two.
   */
  async #longestFitting(
    all: PromptMessage[],
    starts: readonly number[],
    maxTokens: number,
  ): Promise<PromptMessage[]> {
    const lastTurns = (count: number) => fromTurn(all, starts.at(-count) ?? 0);
    const fits = async (count: number) => (await this.#count(lastTurns(count))) <= maxTokens;
    let tooMany = 2;
    while (tooMany <= starts.length && (await fits(tooMany))) tooMany *= 2;
    let enough = tooMany / 2;
    tooMany = Math.min(tooMany, starts.length + 1);
    while (tooMany - enough > 1) {
      const middle = Math.floor((enough + tooMany) / 2);
      if (await fits(middle)) enough = middle;
      else tooMany = middle;
    }
    return lastTurns(enough);
  }

  /** Leaves out the oldest turn; undefined when only the last one is left. */
  async shorten(
    all: PromptMessage[],
  ): Promise<{ messages: PromptMessage[]; truncated: Truncation } | undefined> {
    const [start] = turnStarts(all);
    if (start === undefined) return undefined;
    const messages = fromTurn(all, start);
    const tokens = (await this.#count(all)) - (await this.#count(messages));
    return { messages, truncated: { messages: all.length - messages.length, tokens } };
  }

  async #count(messages: readonly PromptMessage[]): Promise<number> {
    return (await this.tokens(await this.segments(messages), messages)).length;
  }
}
