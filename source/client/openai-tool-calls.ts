// Calls of tools in OpenAI's protocol: their arguments come as pieces of a JSON text.
import { isRecord } from "../base/json-record.ts";
import type { ClientToolCall } from "./chat-events.ts";
import { fieldsOf, numberOf, textOf } from "./reply-fields.ts";

export class ToolCallPieces {
  readonly #calls = new Map<number, { name: string; text: string }>();

  take(piece: Record<string, unknown>): void {
    const index = numberOf(piece.index);
    const { name, arguments: text } = fieldsOf(piece.function);
    const call = this.#calls.get(index) ?? { name: "", text: "" };
    this.#calls.set(index, { name: call.name + textOf(name), text: call.text + textOf(text) });
  }

  /** @returns the calls, and the text of those whose arguments are no object */
  end(): { calls: ClientToolCall["function"][]; unreadable: string } {
    const calls: ClientToolCall["function"][] = [];
    const unreadable: string[] = [];
    for (const { name, text } of this.#calls.values()) {
      const values = argumentsOf(text);
      if (values === undefined) unreadable.push(`${name} ${text}`);
      else calls.push({ name, arguments: values });
    }
    return { calls, unreadable: unreadable.join("\n") };
  }
}

/** A call without arguments may have no text at all. */
function argumentsOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // cut off by the length limit, or no JSON at all: it is shown as it came
  }
}

/** Calls of an earlier answer, as they are sent back. @param answer the number of the message */
export function sentToolCalls(calls: readonly ClientToolCall[], answer: number) {
  return calls.map(({ function: { name, arguments: values } }, index) => ({
    id: `call_${answer}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(values) },
  }));
}
