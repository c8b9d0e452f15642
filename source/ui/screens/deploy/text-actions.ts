// Edits all answers as one text in the person's own editor.

import { type Given, isEphemeral } from "./answers.ts";
import {
  fieldsOf,
  type ReadAnswers,
  readAnswers,
  withoutProblems,
  withProblems,
  writeAnswers,
} from "./answers-text.ts";
import type { DeployContext } from "./deploy-context.ts";
import type { DeployState } from "./deploy-state.ts";
import { faultsOf, givenAfterMode, openStep, withFocus } from "./form-reducer.ts";
import { type PageContext, pageOf } from "./pages.ts";
import type { StepActions } from "./step-actions.ts";
import { type StepId, stepsOf } from "./steps.ts";

/** These make it another script, whose fields have to be read first. */
const scriptFields = new Set(["source", "script", "model", "file", "target"]);

export class TextActions {
  readonly #context: DeployContext;
  readonly #steps: StepActions;
  /** A refused text: the next edit goes on with it, unless an answer has changed since. */
  #refused: { readonly given: Given; readonly text: string } | undefined;

  constructor(context: DeployContext, steps: StepActions) {
    this.#context = context;
    this.#steps = steps;
  }

  /** @returns a sentence when nothing has changed */
  async edit(): Promise<string | undefined> {
    const { frame, page } = this.#context;
    const before = this.#state;
    const written =
      this.#refused?.given === before.given ? this.#refused.text : writeAnswers(before, page());
    for (let text = written; ; ) {
      const saved = await frame.edit(text, "conf");
      if (this.#state.given !== before.given) return "The answers have changed meanwhile.";
      const own = withoutProblems(saved ?? text);
      const read = readAnswers(own, before, page());
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
    return this.#context.store.get();
  }

  #take({ given, changed }: ReadAnswers): void {
    const { store, page, frame } = this.#context;
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
      this.#steps.show("script");
      frame.notify("It is another script now: Enter reads it. The other answers are as you wrote.");
      return;
    }
    const fault = faultAmong(taken, changed, page());
    if (fault === undefined) this.#steps.open(nextStep(taken));
    else {
      this.#steps.show(fault.step);
      store.update({ ...fault.focused(this.#state), faults: fault.faults });
    }
  }
}

/** A proposed name goes and comes with the mode. */
function modeTaken(given: Given, changed: readonly string[]): Given {
  return changed.includes("name") ? given : givenAfterMode(given, given.mode ?? "deploy");
}

/** The first step with a field at fault. */
function faultAmong(state: DeployState, changed: readonly string[], context: PageContext) {
  const own = new Set(changed);
  for (const { step, item } of fieldsOf(state, context)) {
    if (!own.has(item.id)) continue;
    const opened = openStep(state, step, context);
    const faults = faultsOf(opened, context);
    if (faults[item.id] === undefined) continue;
    const index = pageOf(opened, context).items.findIndex(({ id }) => id === item.id);
    return { step, faults, focused: (shown: DeployState) => withFocus(shown, index, context) };
  }
  return undefined;
}

/** The step to show after the edit: checks run again. */
function nextStep({ step, given }: DeployState): StepId {
  if (step === "review") return "preflight";
  const isThere = stepsOf(isEphemeral(given)).some(({ id }) => id === step);
  return isThere ? step : "timeouts";
}
