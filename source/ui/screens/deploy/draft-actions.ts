// Saves the answers as a draft, and resumes drafts.

import { formatRelativeTime } from "../../../base/formats.ts";
import { describeError } from "../../../base/product-error.ts";
import type { DraftAccess, OtherDraft } from "../../app/cloud-access.ts";
import { type GivenValues, scriptOf, withoutSecrets } from "./answers.ts";
import { type DeployServices, type DeployState, restartedState } from "./deploy-state.ts";
import { openStep } from "./form-reducer.ts";
import { resumedStep, steps } from "./steps.ts";

export class DraftActions {
  readonly #services: DeployServices;
  readonly #drafts: DraftAccess;
  /** Answers that were deployed and need no draft. */
  #deployed: GivenValues | undefined;

  constructor(services: DeployServices) {
    this.#services = services;
    this.#drafts = services.cloud.drafts;
  }

  /** Resumes the last draft that no terminal uses, unless the user has already answered something. */
  async resume(): Promise<void> {
    const { frame } = this.#services;
    try {
      const { drafts: others, problems } = await this.#drafts.others();
      for (const sentence of problems) frame.notify(sentence);
      const left = others.filter(({ isInUse, given }) => !isInUse && Object.keys(given).length > 0);
      const [last] = left;
      const isUntouched = Object.keys(this.#state.given).length === 0;
      if (last === undefined || !isUntouched || !(await this.#drafts.take(last))) return;
      this.#show(last);
      const more = left.length > 1 ? ` Ctrl+R lists ${left.length - 1} more.` : "";
      frame.notify(`Draft resumed; Ctrl+N starts over.${more}`);
    } catch (error) {
      frame.notify(describeError(error));
    }
  }

  /** @returns a sentence with the outcome */
  async save(): Promise<string> {
    const { store, clock } = this.#services;
    const { step, given, rules } = this.#state;
    if (Object.keys(given).length === 0) return "Nothing to save yet.";
    if (given === this.#deployed) return "Already deployed; no draft to save.";
    try {
      await this.#drafts.write({ step, given: withoutSecrets(given, rules) });
    } catch (error) {
      return `Draft not saved: ${describeError(error)}`;
    }
    store.update({ draftSavedAtMs: clock.wallMs() });
    return "Draft saved without secrets.";
  }

  /** Deletes the draft of deployed or discarded answers. */
  async remove(): Promise<void> {
    const { store, frame } = this.#services;
    this.#deployed = this.#state.given;
    store.update({ draftSavedAtMs: undefined });
    try {
      await this.#drafts.remove();
    } catch (error) {
      frame.notify(`Draft not deleted: ${describeError(error)}`);
    }
  }

  /** Lets the user choose another draft; the current answers stay a draft. */
  async choose(): Promise<string | undefined> {
    const { frame, clock } = this.#services;
    const { drafts: others, problems } = await this.#drafts.others();
    if (others.length === 0) return problems[0] ?? "No other drafts.";
    const nowMs = clock.wallMs();
    const choices = others.map(({ file, given, step, isInUse, savedAtMs }) => {
      const at = steps.find(({ id }) => id === resumedStep(step))?.title ?? "";
      const state = isInUse ? "copy; open in another terminal" : at;
      return {
        value: file,
        title: given.name || given.model || scriptOf(given) || "Untitled",
        note: `${state}, ${formatRelativeTime(savedAtMs, nowMs)}`,
      };
    });
    const chosen = await frame.choose("Resume another draft", choices);
    const draft = others.find(({ file }) => file === chosen);
    if (draft === undefined) return undefined;
    await this.save();
    if (!(await this.#drafts.take(draft))) return "That draft no longer exists.";
    this.#show(draft);
    return undefined;
  }

  get #state(): DeployState {
    return this.#services.store.get();
  }

  #show({ given, step }: OtherDraft): void {
    this.#services.store.update(openStep(restartedState(this.#state, given), resumedStep(step)));
  }
}
