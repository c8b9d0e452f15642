// Output items of a response, and the stream events of each.
import { randomBytes } from "node:crypto";
import { isRecord } from "../../../../base/json.ts";
import type { TokenLogprob } from "../../../../engine/generation.ts";
import type { NamedEvent } from "../../named-events.ts";
import { callTypes } from "./call-items.ts";
import type { ClientTool, ToolKind } from "./offered-tools.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** An item that is being written. Its events still lack their output index. */
export interface OutputItem {
  readonly kind: "reasoning" | "message" | "call";
  begin(): NamedEvent[];
  /** @param text the next piece */
  add(text: string, logprobs?: readonly TokenLogprob[]): NamedEvent[];
  end(status: ItemStatus): NamedEvent[];
  /** The item so far. */
  toJson(status: ItemStatus): Record<string, unknown>;
}

export function uniqueId(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString("hex")}`;
}

/**
 * The model's thinking, in the field of OpenAI's summary: clients show that one, and Ollama fills
 * it too.
 */
export class ReasoningItem implements OutputItem {
  readonly kind = "reasoning";
  readonly #id = uniqueId("rs");
  #text = "";

  begin(): NamedEvent[] {
    const part = summaryText("");
    return [
      { type: "response.output_item.added", item: { ...this.toJson("in_progress"), summary: [] } },
      { type: "response.reasoning_summary_part.added", ...this.#place, part },
    ];
  }

  add(text: string): NamedEvent[] {
    this.#text += text;
    return [{ type: "response.reasoning_summary_text.delta", ...this.#place, delta: text }];
  }

  end(status: ItemStatus): NamedEvent[] {
    const part = summaryText(this.#text);
    return [
      { type: "response.reasoning_summary_text.done", ...this.#place, text: this.#text },
      { type: "response.reasoning_summary_part.done", ...this.#place, part },
      { type: "response.output_item.done", item: this.toJson(status) },
    ];
  }

  toJson(status: ItemStatus) {
    return { id: this.#id, type: "reasoning", status, summary: [summaryText(this.#text)] };
  }

  get #place() {
    return { item_id: this.#id, summary_index: 0 };
  }
}

function summaryText(text: string) {
  return { type: "summary_text", text };
}

/** Text for the client. */
export class MessageItem implements OutputItem {
  readonly kind = "message";
  readonly #id = uniqueId("msg");
  readonly #logprobs: unknown[] = [];
  #text = "";

  begin(): NamedEvent[] {
    return [
      { type: "response.output_item.added", item: { ...this.toJson("in_progress"), content: [] } },
      { type: "response.content_part.added", ...this.#place, part: this.#part },
    ];
  }

  add(text: string, logprobs: readonly TokenLogprob[] = []): NamedEvent[] {
    const added = logprobs.map(toLogprob);
    this.#text += text;
    this.#logprobs.push(...added);
    const delta = { ...this.#place, delta: text, logprobs: added };
    return [{ type: "response.output_text.delta", ...delta }];
  }

  end(status: ItemStatus): NamedEvent[] {
    const { text, logprobs } = this.#part;
    return [
      { type: "response.output_text.done", ...this.#place, text, logprobs },
      { type: "response.content_part.done", ...this.#place, part: this.#part },
      { type: "response.output_item.done", item: this.toJson(status) },
    ];
  }

  toJson(status: ItemStatus) {
    return { id: this.#id, type: "message", status, role: "assistant", content: [this.#part] };
  }

  get #place() {
    return { item_id: this.#id, content_index: 0 };
  }

  get #part() {
    const logprobs = [...this.#logprobs];
    return { type: "output_text", text: this.#text, annotations: [], logprobs };
  }
}

function toLogprob({ token, bytes, logprob, top }: TokenLogprob) {
  return { token, bytes, logprob, top_logprobs: top };
}

/** A call of a client's function. */
export class FunctionCallItem implements OutputItem {
  readonly kind = "call";
  readonly #id = uniqueId(idPrefixes.function);
  readonly #callId: string;
  readonly #tool: ClientTool;
  #arguments = "";

  /** @param callId id that its result must name */
  constructor(callId: string, tool: ClientTool) {
    this.#callId = callId;
    this.#tool = tool;
  }

  begin(): NamedEvent[] {
    return [{ type: "response.output_item.added", item: this.toJson("in_progress") }];
  }

  add(text: string): NamedEvent[] {
    this.#arguments += text;
    const delta = { item_id: this.#id, delta: text };
    return [{ type: "response.function_call_arguments.delta", ...delta }];
  }

  end(status: ItemStatus): NamedEvent[] {
    const whole = { item_id: this.#id, name: this.#tool.name, arguments: this.#arguments };
    return [
      { type: "response.function_call_arguments.done", ...whole },
      { type: "response.output_item.done", item: this.toJson(status) },
    ];
  }

  toJson(status: ItemStatus) {
    const { name, namespace } = this.#tool;
    return {
      id: this.#id,
      type: callTypes.function,
      status,
      call_id: this.#callId,
      name,
      ...(namespace !== undefined && { namespace }),
      arguments: this.#arguments,
    };
  }
}

/** A call of any other tool: its fields are known once its arguments are whole. */
export class ToolCallItem implements OutputItem {
  readonly kind = "call";
  readonly #tool: ClientTool;
  readonly #id: string;
  readonly #callId: string;
  #arguments = "";

  /** @param callId id that its result must name */
  constructor(callId: string, tool: ClientTool) {
    this.#tool = tool;
    this.#callId = callId;
    this.#id = uniqueId(idPrefixes[tool.kind]);
  }

  begin(): NamedEvent[] {
    return [{ type: "response.output_item.added", item: this.toJson("in_progress") }];
  }

  add(text: string): NamedEvent[] {
    this.#arguments += text;
    return [];
  }

  end(status: ItemStatus): NamedEvent[] {
    const done = { type: "response.output_item.done", item: this.toJson(status) };
    if (this.#tool.kind !== "custom") return [done];
    const { input } = this.#fields();
    const place = { item_id: this.#id };
    return [
      { type: "response.custom_tool_call_input.delta", ...place, delta: input },
      { type: "response.custom_tool_call_input.done", ...place, input },
      done,
    ];
  }

  toJson(status: ItemStatus): Record<string, unknown> {
    return {
      id: this.#id,
      type: callTypes[this.#tool.kind],
      status,
      call_id: this.#callId,
      ...this.#fields(),
    };
  }

  #fields(): Record<string, unknown> {
    const { kind, name, namespace } = this.#tool;
    const values = parsed(this.#arguments);
    switch (kind) {
      case "custom": {
        const input = typeof values.input === "string" ? values.input : "";
        return { name, ...(namespace !== undefined && { namespace }), input };
      }
      case "local_shell":
        return { action: { type: "exec", command: [], env: {}, ...values } };
      case "shell": {
        const limits = { timeout_ms: null, max_output_length: null };
        return { action: { commands: [], ...limits, ...values }, environment: { type: "local" } };
      }
      case "apply_patch":
        return { operation: { type: "update_file", path: "", diff: "", ...values } };
      default:
        return { execution: "client", arguments: values };
    }
  }
}

const idPrefixes = {
  function: "fc",
  custom: "ctc",
  local_shell: "lsh",
  shell: "sh",
  apply_patch: "apc",
  tool_search: "tsc",
} as const satisfies Record<ToolKind, string>;

/** Arguments of a call that was cut off are no JSON. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
