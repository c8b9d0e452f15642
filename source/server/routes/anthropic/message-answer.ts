// An answer as Anthropic's message: the whole object, or stream events.
import { randomBytes } from "node:crypto";
import type { ProductError } from "../../../base/product-error.ts";
import type { CanonicalEvent } from "../../../engine/request.ts";
import { anthropicErrorBody } from "../../plugins/error-replies.ts";
import type { NamedAnswer, NamedEvent } from "../named-events.ts";
import { TokenMeter } from "../openai/reply-fields.ts";
import { type ContentBlock, TextBlock, ThinkingBlock, ToolUseBlock } from "./content-blocks.ts";
import type { MessageBody } from "./schema.ts";

type Done = Extract<CanonicalEvent, { type: "done" }>;

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
      case "thinking":
        return [...this.#turnTo("thinking", () => new ThinkingBlock()), ...this.#add(event.text)];
      case "text":
        if (event.text === "") return [];
        return [...this.#turnTo("text", () => new TextBlock()), ...this.#add(event.text)];
      case "tool-call":
        return [...this.#end(), ...this.#start(new ToolUseBlock(event.id, event.name))];
      case "tool-arguments":
        return this.#add(event.text);
      case "tool-call-end":
        if (this.#open instanceof ToolUseBlock) this.#open.complete(event.arguments);
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
    const content = this.#blocks
      .filter((block) => !(block instanceof ToolUseBlock && !block.isComplete))
      .map((block) => block.toJson());
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
    const isCalling = this.#blocks.some(
      (block) => block instanceof ToolUseBlock && block.isComplete,
    );
    return isCalling ? "tool_use" : "end_turn";
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

  #turnTo(kind: ContentBlock["kind"], create: () => ContentBlock): NamedEvent[] {
    return this.#open?.kind === kind ? [] : [...this.#end(), ...this.#start(create())];
  }

  #start(block: ContentBlock): NamedEvent[] {
    this.#open = block;
    this.#blocks.push(block);
    return [{ type: "content_block_start", index: this.#index, content_block: block.begin() }];
  }

  #add(text: string): NamedEvent[] {
    if (this.#open === undefined) return [];
    return [{ type: "content_block_delta", index: this.#index, delta: this.#open.add(text) }];
  }

  #end(): NamedEvent[] {
    if (this.#open === undefined) return [];
    const index = this.#index;
    const last = this.#open.lastDeltas();
    this.#open = undefined;
    return [
      ...last.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  }

  get #index(): number {
    return this.#blocks.length - 1;
  }
}
