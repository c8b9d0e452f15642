// Content blocks of an answer, and the stream events of each.

/** A block that is being written. */
export interface ContentBlock {
  readonly kind: "text" | "thinking" | "tool_use";
  /** The block as it begins, still empty. */
  begin(): Record<string, unknown>;
  /** @returns the delta */
  add(text: string): Record<string, unknown>;
  /** Final deltas, sent before the block ends. */
  lastDeltas(): Array<Record<string, unknown>>;
  toJson(): Record<string, unknown>;
}

export class TextBlock implements ContentBlock {
  readonly kind = "text";
  #text = "";

  begin() {
    return { type: "text", text: "", citations: null };
  }

  add(text: string) {
    this.#text += text;
    return { type: "text_delta", text };
  }

  lastDeltas() {
    return [];
  }

  toJson() {
    return { type: "text", text: this.#text, citations: null };
  }
}

/** Sends thinking with an empty signature, which only Anthropic's own servers verify. */
export class ThinkingBlock implements ContentBlock {
  readonly kind = "thinking";
  #thinking = "";

  begin() {
    return { type: "thinking", thinking: "", signature: "" };
  }

  add(text: string) {
    this.#thinking += text;
    return { type: "thinking_delta", thinking: text };
  }

  lastDeltas() {
    return [{ type: "signature_delta", signature: "" }];
  }

  toJson() {
    return { type: "thinking", thinking: this.#thinking, signature: "" };
  }
}

export class ToolUseBlock implements ContentBlock {
  readonly kind = "tool_use";
  readonly #id: string;
  readonly #name: string;
  #input: Record<string, unknown> | undefined;

  constructor(id: string, name: string) {
    this.#id = id;
    this.#name = name;
  }

  /** True once the call is complete; an incomplete one does not count. */
  get isComplete(): boolean {
    return this.#input !== undefined;
  }

  begin() {
    return this.toJson();
  }

  add(text: string) {
    return { type: "input_json_delta", partial_json: text };
  }

  complete(input: Record<string, unknown>): void {
    this.#input = input;
  }

  lastDeltas() {
    return [];
  }

  toJson() {
    const input = this.#input ?? {};
    const caller = { type: "direct" };
    return { type: "tool_use", id: this.#id, name: this.#name, input, caller };
  }
}
