// Stack of open questions over a screen; the newest is on top.

import { ListOverlay, type ListQuestion } from "./list-overlay.ts";
import {
  AskOverlay,
  type CheckAnswer,
  ConfirmOverlay,
  type OverlayEvents,
  WriteOverlay,
  type WriteQuestion,
} from "./question-overlay.ts";

/** Discriminated by `kind`. */
export type Overlay = AskOverlay | ConfirmOverlay | ListOverlay | WriteOverlay;

export class Overlays {
  readonly #onChange: () => void;
  readonly #open: Overlay[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The overlay that takes the keys. */
  get top(): Overlay | undefined {
    return this.#open.at(-1);
  }

  /** @returns undefined when cancelled */
  ask(
    question: string,
    initial = "",
    check: CheckAnswer = () => undefined,
  ): Promise<string | undefined> {
    return this.#show((events) => new AskOverlay(events, question, initial, check));
  }

  /** @returns undefined when cancelled */
  write(question: WriteQuestion): Promise<string | undefined> {
    return this.#show((events) => new WriteOverlay(events, question));
  }

  /** @param rest as in `FrameServices.confirm` */
  async confirm(question: string, rest?: Promise<string>): Promise<boolean> {
    const answer = await this.#show<boolean | Error>(
      (events) => new ConfirmOverlay(events, question, rest),
    );
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** @returns the value of the chosen item */
  list(question: ListQuestion): Promise<string | undefined> {
    return this.#show((events) => new ListOverlay(events, question));
  }

  cancelAll(): void {
    for (const overlay of [...this.#open]) overlay.cancel();
  }

  #show<Answer>(create: (events: OverlayEvents<Answer>) => Overlay): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const overlay = create({
      onChange: this.#onChange,
      onDone: (answer) => {
        const index = this.#open.indexOf(overlay);
        if (index === -1) return;
        this.#open.splice(index, 1);
        this.#onChange();
        resolve(answer);
      },
    });
    this.#open.push(overlay);
    this.#onChange();
    return promise;
  }
}
