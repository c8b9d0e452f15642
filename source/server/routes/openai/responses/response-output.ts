// Turns the events of an answer into response items and their stream events.
import type { CanonicalEvent } from "../../../../engine/request.ts";
import type { NamedEvent } from "../../named-events.ts";
import type { ClientTool, OfferedTools } from "./offered-tools.ts";
import {
  FunctionCallItem,
  type ItemStatus,
  MessageItem,
  type OutputItem,
  ReasoningItem,
  ToolCallItem,
} from "./output-items.ts";

interface EndedItem {
  item: OutputItem;
  status: ItemStatus;
}

export class ResponseOutput {
  readonly #ended: EndedItem[] = [];
  readonly #tools: Pick<OfferedTools, "find">;
  #open: OutputItem | undefined;

  /** @param tools that the model was offered */
  constructor(tools: Pick<OfferedTools, "find">) {
    this.#tools = tools;
  }

  take(event: CanonicalEvent): NamedEvent[] {
    switch (event.type) {
      case "thinking":
        return [...this.#turnTo("reasoning", () => new ReasoningItem()), ...this.#add(event.text)];
      case "text":
        // Log-probabilities of control tokens have no place of their own.
        if (event.text === "" && this.#open?.kind !== "message") return [];
        return [
          ...this.#turnTo("message", () => new MessageItem()),
          ...this.#add(event.text, event.logprobs),
        ];
      case "tool-call":
        return [
          ...this.end("incomplete"),
          ...this.#begin(callItem(event.id, this.#tools.find(event.name))),
        ];
      case "tool-arguments":
        return this.#add(event.text);
      case "tool-call-end":
        return this.#end("completed");
      default:
        return [];
    }
  }

  /**
   * Ends the item that is being written.
   *
   * @param status of it; a call that has not come to its end is incomplete in any case
   */
  end(status: ItemStatus): NamedEvent[] {
    return this.#end(this.#open?.kind === "call" ? "incomplete" : status);
  }

  /** An empty answer is an empty message. */
  complete(status: ItemStatus): NamedEvent[] {
    const isEmpty = this.#ended.length === 0 && this.#open === undefined;
    return [...(isEmpty ? this.#begin(new MessageItem()) : []), ...this.end(status)];
  }

  /** All items so far, as streamed. */
  toJson(): Array<Record<string, unknown>> {
    return this.#ended.map(({ item, status }) => item.toJson(status));
  }

  /** Omits incomplete calls: their text was sent again as a message. */
  wholeItems(): Array<Record<string, unknown>> {
    const isBroken = ({ item, status }: EndedItem) =>
      item.kind === "call" && status === "incomplete";
    return this.#ended
      .filter((ended) => !isBroken(ended))
      .map(({ item, status }) => item.toJson(status));
  }

  #turnTo(kind: OutputItem["kind"], create: () => OutputItem): NamedEvent[] {
    if (this.#open?.kind === kind) return [];
    return [...this.end("completed"), ...this.#begin(create())];
  }

  #begin(item: OutputItem): NamedEvent[] {
    this.#open = item;
    return this.#placed(item.begin());
  }

  #add(...added: Parameters<OutputItem["add"]>): NamedEvent[] {
    return this.#placed(this.#open?.add(...added) ?? []);
  }

  #end(status: ItemStatus): NamedEvent[] {
    const item = this.#open;
    if (item === undefined) return [];
    const events = this.#placed(item.end(status));
    this.#open = undefined;
    this.#ended.push({ item, status });
    return events;
  }

  /** Items are written one after the other: the open one follows all finished ones. */
  #placed(events: readonly NamedEvent[]): NamedEvent[] {
    const output_index = this.#ended.length;
    return events.map((event) => ({ ...event, output_index }));
  }
}

function callItem(callId: string, tool: ClientTool): OutputItem {
  return tool.kind === "function"
    ? new FunctionCallItem(callId, tool)
    : new ToolCallItem(callId, tool);
}
