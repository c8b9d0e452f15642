// Tool calls in native records: complete, with arguments as an object.
import type { CanonicalEvent } from "../../../engine/request.ts";

export interface ToolCallRecord {
  id: string;
  function: { index: number; name: string; arguments: Record<string, unknown> };
}

type Begun = Extract<CanonicalEvent, { type: "tool-call" }>;
type Ended = Extract<CanonicalEvent, { type: "tool-call-end" }>;

/** Ignores a call that never ends. */
export class ToolCallReader {
  readonly #begun = new Map<number, Begun>();

  begin(call: Begun): void {
    this.#begun.set(call.index, call);
  }

  end({ index, arguments: values }: Ended): ToolCallRecord {
    const { id = "", name = "" } = this.#begun.get(index) ?? {};
    return { id, function: { index, name, arguments: values } };
  }
}
