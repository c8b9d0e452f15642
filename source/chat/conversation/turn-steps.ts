// Text, calls and results of an answer as they arrive, by turns of the model.

import type { ChatEvent } from "../../client/chat-events.ts";
import type { SessionToolCall } from "../sessions/session.ts";
import type { AssistantEntry, DoneCall, EntryImage, EntryStep } from "./transcript-entry.ts";

type TurnEvent = Extract<ChatEvent, { type: "text" | "tool-call" | "tool-result" }>;

export class TurnSteps {
  readonly #steps: EntryStep[] = [];
  #text = "";
  /** Calls of this turn without a result yet. */
  readonly #open: SessionToolCall[] = [];
  #done: DoneCall[] = [];

  /** True if there is text or a call; an empty answer does not count. */
  get hasContent(): boolean {
    return (
      this.#text.trim() !== "" || this.#steps.length + this.#open.length + this.#done.length > 0
    );
  }

  /** Parts of the answer's entry. */
  get parts(): Pick<AssistantEntry, "text" | "toolCalls" | "steps"> {
    const isBetween = this.#done.length > 0;
    const last = { text: this.#text, calls: this.#done };
    const steps = isBetween ? [...this.#steps, last] : [...this.#steps];
    return {
      text: isBetween ? "" : this.#text,
      toolCalls: this.#open.length > 0 ? [...this.#open] : undefined,
      steps: steps.length > 0 ? steps : undefined,
    };
  }

  /** The call that is asked about or run next. */
  get next(): SessionToolCall | undefined {
    return this.#open[0];
  }

  /** Takes changed arguments of the next call. */
  changeNext(values: SessionToolCall["arguments"]): void {
    const [next] = this.#open;
    if (next !== undefined) this.#open[0] = { ...next, arguments: values };
  }

  /** @param pictures the result's images with small pictures. Default to those without */
  receive(event: TurnEvent, pictures?: readonly EntryImage[]): void {
    if (event.type === "tool-result") {
      const { name, server, arguments: values, text: result, isError, ending } = event;
      this.#open.shift();
      const call = { name, server, arguments: values, result, isError };
      const images = pictures ?? event.images?.map((image) => ({ ...image, preview: [] }));
      const done = { ...call, ...(images && { images }), ...(ending && { ending }) };
      this.#done = [...this.#done, done];
      return;
    }
    if (this.#done.length > 0 && this.#open.length === 0) {
      this.#steps.push({ text: this.#text, calls: this.#done });
      this.#text = "";
      this.#done = [];
    }
    if (event.type === "text") this.#text += event.text;
    else this.#open.push({ name: event.name, arguments: event.arguments });
  }
}
