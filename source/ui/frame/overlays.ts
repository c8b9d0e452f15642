// Stack of open questions over a screen; the newest is on top.

import { type ListQuestion, type ListState, listQuestion } from "./list-overlay.ts";
import {
  type AskState,
  askQuestion,
  type CheckAnswer,
  type ConfirmState,
  confirmQuestion,
  type OpenQuestion,
  type WriteOptions,
  type WriteState,
  writeQuestion,
} from "./question-overlay.ts";

/** State of an open question, as one immutable value. */
export type Overlay = AskState | ConfirmState | ListState | WriteState;

export class Overlays {
  readonly #onChange: () => void;
  readonly #open: OpenQuestion<Overlay>[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The question that takes the keys. */
  get top(): OpenQuestion<Overlay> | undefined {
    return this.#open.at(-1);
  }

  /** @returns undefined when cancelled */
  ask(
    question: string,
    initial = "",
    check: CheckAnswer = () => undefined,
  ): Promise<string | undefined> {
    return this.#show((done) => askQuestion(done, question, initial, check));
  }

  /** @returns undefined when cancelled */
  write(options: WriteOptions): Promise<string | undefined> {
    return this.#show((done) => writeQuestion(done, options));
  }

  /** @param rest as in `FrameServices.confirm` */
  async confirm(question: string, rest?: Promise<string>): Promise<boolean> {
    const answer = await this.#show<boolean | Error>((done) =>
      confirmQuestion(done, question, rest),
    );
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** @returns the value of the chosen item */
  list(question: ListQuestion): Promise<string | undefined> {
    return this.#show((done) => listQuestion(done, question));
  }

  cancelAll(): void {
    for (const overlay of [...this.#open]) overlay.cancel();
  }

  #show<Answer>(open: (done: (answer: Answer) => void) => OpenQuestion<Overlay>): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const overlay = open((answer) => {
      const index = this.#open.indexOf(overlay);
      if (index === -1) return;
      this.#open.splice(index, 1);
      this.#onChange();
      resolve(answer);
    });
    overlay.subscribe(this.#onChange);
    this.#open.push(overlay);
    this.#onChange();
    return promise;
  }
}
