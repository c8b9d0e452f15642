// Fields shared by every reply object and chunk of one request.
import { randomUUID } from "node:crypto";

export class ReplyHead {
  readonly #id: string;
  readonly #created = Math.floor(Date.now() / 1000);
  readonly #model: string;

  /**
   * @param prefix tells what kind of reply an id belongs to
   * @param model as the client named it
   */
  constructor(prefix: "chatcmpl" | "cmpl", model: string) {
    this.#id = `${prefix}-${randomUUID()}`;
    this.#model = model;
  }

  fields(object: string): Record<string, unknown> {
    return {
      id: this.#id,
      object,
      created: this.#created,
      model: this.#model,
      system_fingerprint: "fp_modelctl",
    };
  }
}
