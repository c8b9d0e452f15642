// An answer as Anthropic's message: the whole object, or stream events.
import { randomBytes } from "node:crypto";
import type { ProductError } from "../../../base/product-error.ts";
import type { CanonicalEvent } from "../../../engine/request.ts";
import { anthropicErrorBody } from "../../plugins/error-replies.ts";
import type { NamedAnswer, NamedEvent } from "../named-events.ts";
import { TokenMeter } from "../openai/reply-fields.ts";
import type { MessageBody } from "./schema.ts";

type Done = Extract<CanonicalEvent, { type: "done" }>;

type ContentBlock =
  | { type: "text"; text: string; citations: null }
  /** Its signature stays empty: only Anthropic's own servers verify it. */
  | { type: "thinking"; thinking: string; signature: string }
  | ToolUse;

interface ToolUse {
  type: "tool_use";
  id: string;
  name: string;
  /** Undefined until the call is complete; an incomplete one does not count. */
  input: Record<string, unknown> | undefined;
  caller: { type: "direct" };
}

export class MessageAnswer implements NamedAnswer {
  readonly #id = `msg_${randomBytes(12).toString("hex")}`;
  readonly #body: MessageBody;
  readonly #requestId: string | undefined;
  readonly #meter = new TokenMeter();
  readonly #blocks: ContentBlock[] = [];
  /** The last block while it is being written. */
  #open: ContentBlock | undefined;
  #hasBegun = false;
  #done: Done | undefined;

  /** @param requestId id of the request in the log */
  constructor(body: MessageBody, requestId: string | undefined) {
    this.#body = body;
    this.#requestId = requestId;
  }

  take(event: CanonicalEvent): NamedEvent[] {
    this.#meter.take(event);
    switch (event.type) {
      case "started":
        return this.#begin(event.promptTokens, event.cachedTokens);
      case "prompt":
        return this.#hasBegun ? [{ type: "ping" }] : [];
      case "thinking": {
        const block = { type: event.type, thinking: "", signature: "" };
        return [...this.#turnTo(block), ...this.#add(event.text)];
      }
      case "text": {
        if (event.text === "") return [];
        const block = { type: event.type, text: "", citations: null };
        return [...this.#turnTo(block), ...this.#add(event.text)];
      }
      case "tool-call": {
        const { id, name } = event;
        const caller = { type: "direct" } as const;
        return [
          ...this.#end(),
          ...this.#start({ type: "tool_use", id, name, input: undefined, caller }),
        ];
      }
      case "tool-arguments":
        return this.#add(event.text);
      case "tool-call-end":
        if (this.#open?.type === "tool_use") this.#open.input = event.arguments;
        return this.#end();
      case "done":
        return this.#finish(event);
      default:
        return [];
    }
  }

  fail(error: ProductError): NamedEvent[] {
    return [anthropicErrorBody(error, this.#requestId)];
  }

  toJson() {
    const { promptTokens, cachedTokens, completionTokens } = this.#meter;
    // The text of an incomplete call was sent again as text.
    const content = this.#blocks.filter((block) => block.type !== "tool_use" || isComplete(block));
    return {
      ...this.#message(content),
      ...this.#ending(),
      usage: this.#usage(promptTokens, cachedTokens, completionTokens),
    };
  }

  #begin(promptTokens: number, cachedTokens: number): NamedEvent[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    const message = { ...this.#message([]), usage: this.#usage(promptTokens, cachedTokens, 0) };
    return [{ type: "message_start", message }, { type: "ping" }];
  }

  #finish(done: Done): NamedEvent[] {
    this.#done = done;
    const { promptTokens, cachedTokens, completionTokens } = this.#meter;
    const usage = this.#usage(promptTokens, cachedTokens, completionTokens);
    return [
      ...this.#begin(promptTokens, cachedTokens),
      ...this.#end(),
      { type: "message_delta", delta: { ...this.#ending(), container: null }, usage },
      { type: "message_stop" },
    ];
  }

  #message(content: unknown[]) {
    return {
      id: this.#id,
      type: "message",
      role: "assistant",
      model: this.#body.model,
      content,
      container: null,
      diagnostics: null,
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
    };
  }

  #ending() {
    const stopText = this.#done?.stopText;
    // The model has stop sequences too.
    const isAsked =
      stopText !== undefined && this.#body.stop_sequences?.includes(stopText) === true;
    return {
      stop_reason: this.#stopReason(isAsked),
      stop_sequence: isAsked ? stopText : null,
      stop_details: null,
    };
  }

  #stopReason(isStopSequence: boolean): string {
    if (this.#done?.reason === "length") {
      const isLimit = this.#meter.completionTokens >= this.#body.max_tokens;
      return isLimit ? "max_tokens" : "model_context_window_exceeded";
    }
    if (isStopSequence) return "stop_sequence";
    return this.#blocks.some(isComplete) ? "tool_use" : "end_turn";
  }

  /** Anthropic counts cached prompt tokens apart from the others. */
  #usage(promptTokens: number, cachedTokens: number, completionTokens: number) {
    return {
      input_tokens: promptTokens - cachedTokens,
      cache_creation: null,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: cachedTokens,
      output_tokens: completionTokens,
      output_tokens_details: { thinking_tokens: this.#meter.reasoningTokens },
      inference_geo: null,
      server_tool_use: null,
      service_tier: "standard",
      speed: null,
    };
  }

  #turnTo(block: ContentBlock): NamedEvent[] {
    return this.#open?.type === block.type ? [] : [...this.#end(), ...this.#start(block)];
  }

  #start(block: ContentBlock): NamedEvent[] {
    this.#open = block;
    this.#blocks.push(block);
    const begun = { ...block, ...(block.type === "tool_use" && { input: {} }) };
    return [{ type: "content_block_start", index: this.#index, content_block: begun }];
  }

  #add(text: string): NamedEvent[] {
    if (this.#open === undefined) return [];
    return [{ type: "content_block_delta", index: this.#index, delta: extend(this.#open, text) }];
  }

  #end(): NamedEvent[] {
    if (this.#open === undefined) return [];
    const index = this.#index;
    const delta = { type: "signature_delta", signature: "" };
    const isThinking = this.#open.type === "thinking";
    this.#open = undefined;
    return [
      ...(isThinking ? [{ type: "content_block_delta", index, delta }] : []),
      { type: "content_block_stop", index },
    ];
  }

  get #index(): number {
    return this.#blocks.length - 1;
  }
}

function isComplete(block: ContentBlock): boolean {
  return block.type === "tool_use" && block.input !== undefined;
}

/** @returns the delta */
function extend(block: ContentBlock, text: string) {
  switch (block.type) {
    case "text":
      block.text += text;
      return { type: "text_delta", text };
    case "thinking":
      block.thinking += text;
      return { type: "thinking_delta", thinking: text };
    case "tool_use":
      return { type: "input_json_delta", partial_json: text };
  }
}
