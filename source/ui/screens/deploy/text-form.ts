// Ctrl+E: all answers in the person's own editor, and what comes back from it.

import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../state/store.ts";
import { type Given, isEphemeral } from "./answers.ts";
import {
  fieldsOf,
  type ReadAnswers,
  readAnswers,
  withoutProblems,
  withProblems,
  writeAnswers,
} from "./answers-text.ts";
import type { DeployState } from "./deploy-state.ts";
import type { DeploySteps } from "./deploy-steps.ts";
import { faultsOf, givenAfterMode, openStep, withFocus } from "./form-reducer.ts";
import { type PageView, pageOf } from "./page-of.ts";
import { type StepId, stepsOf } from "./steps.ts";

export interface TextFormOptions {
  readonly store: Store<DeployState>;
  readonly frame: FrameServices;
  readonly steps: DeploySteps;
  readonly view: () => PageView;
}

/** Another one of these has other fields, which have to be read first. */
const scriptFields = new Set(["source", "script", "model", "file", "target"]);

export class TextForm {
  readonly #options: TextFormOptions;
  /** A text that could not be read, which goes on as long as no answer has changed since. */
  #refused: { readonly given: Given; readonly text: string } | undefined;

  constructor(options: TextFormOptions) {
    this.#options = options;
  }

  /** @returns a sentence when nothing has changed */
  async edit(): Promise<string | undefined> {
    const { frame, view } = this.#options;
    const before = this.#state;
    const written =
      this.#refused?.given === before.given ? this.#refused.text : writeAnswers(before, view());
    for (let text = written; ; ) {
      const saved = await frame.edit(text, "conf");
      if (this.#state.given !== before.given) return "The answers have changed meanwhile.";
      const own = withoutProblems(saved ?? text);
      const read = readAnswers(own, before, view());
      const [problem] = read.problems;
      if (problem === undefined) {
        this.#refused = undefined;
        if (read.changed.length === 0) return "No answer has changed.";
        this.#take(read);
        return undefined;
      }
      text = withProblems(own, read.problems);
      this.#refused = { given: before.given, text };
      const question = `Line ${problem.line}: ${problem.sentence} Edit the text again?`;
      if (!(await frame.confirm(question))) {
        return "The answers stay as they were; Ctrl+E goes on with the text.";
      }
    }
  }

  get #state(): DeployState {
    return this.#options.store.get();
  }

  #take({ given, changed }: ReadAnswers): void {
    const { store, steps, view, frame } = this.#options;
    const { target, ...others } = changed.includes("mode") ? modeTaken(given, changed) : given;
    const isOther = changed.some((id) => scriptFields.has(id));
    const keepsTarget = target !== undefined && (!isOther || changed.includes("target"));
    const taken: DeployState = {
      ...this.#state,
      given: keepsTarget ? { ...others, target } : others,
      ...(changed.includes("auth") && { isPublicConfirmed: false }),
    };
    store.update(taken);
    if (isOther) {
      steps.show("script");
      frame.notify("It is another script now: Enter reads it. The other answers are as you wrote.");
      return;
    }
    const fault = faultAmong(taken, changed, view());
    if (fault === undefined) steps.open(nextStep(taken));
    else {
      steps.show(fault.step);
      store.update({ ...fault.focused(this.#state), faults: fault.faults });
    }
  }
}

/** A name that was only proposed goes and comes with the mode. */
function modeTaken(given: Given, changed: readonly string[]): Given {
  return changed.includes("name") ? given : givenAfterMode(given, given.mode ?? "deploy");
}

/** The first step with a field that was written wrong. */
function faultAmong(state: DeployState, changed: readonly string[], view: PageView) {
  const own = new Set(changed);
  for (const { step, item } of fieldsOf(state, view)) {
    if (!own.has(item.id)) continue;
    const opened = openStep(state, step, view);
    const faults = faultsOf(opened, view);
    if (faults[item.id] === undefined) continue;
    const index = pageOf(opened, view).items.findIndex(({ id }) => id === item.id);
    return { step, faults, focused: (shown: DeployState) => withFocus(shown, index, view) };
  }
  return undefined;
}

/** What was checked is checked again. */
function nextStep({ step, given }: DeployState): StepId {
  if (step === "review") return "preflight";
  const isThere = stepsOf(isEphemeral(given)).some(({ id }) => id === step);
  return isThere ? step : "timeouts";
}
