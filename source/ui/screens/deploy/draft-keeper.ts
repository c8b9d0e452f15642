// Keeps the answers of the deploy screen as a draft, goes on with one that was left, and with others.

import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../state/store.ts";
import { type Given, isEphemeral, scriptOf } from "./answers.ts";
import { createDeployState, type DeployState } from "./deploy-state.ts";
import type { DraftFolder, OtherDraft } from "./draft-folder.ts";
import { openStep } from "./form-reducer.ts";
import type { PageView } from "./page-of.ts";
import { stepsOf } from "./steps.ts";

export interface DraftKeeperOptions {
  readonly store: Store<DeployState>;
  readonly drafts: DraftFolder;
  readonly frame: FrameServices;
  readonly clock: Clock;
  readonly view: () => PageView;
}

export class DraftKeeper {
  readonly #options: DraftKeeperOptions;
  /** Answers that are no draft any more. */
  #deployed: Given | undefined;

  constructor(options: DraftKeeperOptions) {
    this.#options = options;
  }

  /** Goes on with the last draft that nobody is at, unless something has been answered meanwhile. */
  async resume(): Promise<void> {
    const { drafts, frame } = this.#options;
    try {
      const { drafts: others, problems } = await drafts.others();
      for (const sentence of problems) frame.notify(sentence);
      const left = others.filter(({ isInUse, given }) => !isInUse && Object.keys(given).length > 0);
      const [last] = left;
      const isUntouched = Object.keys(this.#state.given).length === 0;
      if (last === undefined || !isUntouched || !(await drafts.take(last))) return;
      this.#show(last);
      const more = left.length > 1 ? ` Ctrl+R shows ${left.length - 1} more.` : "";
      frame.notify(`The draft goes on where you left it; Ctrl+N begins anew.${more}`);
    } catch (error) {
      frame.notify(describeError(error));
    }
  }

  /** @returns a sentence that tells how it went */
  async save(): Promise<string> {
    const { drafts, store, clock } = this.#options;
    const { step, given } = this.#state;
    if (Object.keys(given).length === 0) return "There is nothing to save yet.";
    if (given === this.#deployed) return "It is live: there is no draft to save.";
    try {
      await drafts.write({ step, given });
    } catch (error) {
      return `The draft is not saved: ${describeError(error)}`;
    }
    store.update({ draftSavedAtMs: clock.wallMs() });
    return "The draft is saved, without secrets.";
  }

  /** The answers have become a deployment, or are not wanted. */
  async remove(): Promise<void> {
    const { drafts, store, frame } = this.#options;
    this.#deployed = this.#state.given;
    store.update({ draftSavedAtMs: undefined });
    try {
      await drafts.remove();
    } catch (error) {
      frame.notify(`The draft stays: ${describeError(error)}`);
    }
  }

  /** Lets the person choose one of the others; what is answered here stays a draft. */
  async choose(): Promise<string | undefined> {
    const { drafts, frame, clock } = this.#options;
    const { drafts: others, problems } = await drafts.others();
    if (others.length === 0) return problems[0] ?? "There is no other draft.";
    const nowMs = clock.wallMs();
    const choices = others.map((draft) => ({
      value: draft.file,
      title: titleOf(draft),
      note: `${noteOf(draft)}, ${formatRelativeTime(draft.savedAtMs, nowMs)}`,
    }));
    const chosen = await frame.choose("Go on with another draft", choices);
    const draft = others.find(({ file }) => file === chosen);
    if (draft === undefined) return undefined;
    await this.save();
    if (!(await drafts.take(draft))) return "That draft is gone: it was finished meanwhile.";
    this.#show(draft);
    return undefined;
  }

  get #state(): DeployState {
    return this.#options.store.get();
  }

  #show({ given, step }: OtherDraft): void {
    const { store, view } = this.#options;
    const { scripts, targets } = this.#state.known;
    const resumed = createDeployState(given, step);
    const state = { ...resumed, known: { ...resumed.known, scripts, targets } };
    store.update(openStep(state, step, view()));
  }
}

function titleOf({ given }: OtherDraft): string {
  return given.name || given.model || scriptOf(given) || "Nothing named yet";
}

function noteOf({ step, given, isInUse }: OtherDraft): string {
  const title = stepsOf(isEphemeral(given)).find(({ id }) => id === step)?.title ?? "";
  return isInUse ? `${title}, a copy: another terminal is at it` : title;
}
