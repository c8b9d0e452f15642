// Actions of the steps: edit fields, go forward and back, start over.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { toAbsolutePath } from "../../../base/file-path.ts";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { completePath } from "../../../client/attachments/complete-path.ts";
import type { EditorState } from "../../editor/editor-state.ts";
import { fieldWith } from "../../editor/line-field.ts";
import { authOf, newVariable, scriptOf } from "./answers.ts";
import type { DeployLoader } from "./deploy-loader.ts";
import {
  baseOf,
  type DeployContext,
  type DeployState,
  firstFault,
  loadedValue,
  restartedState,
  type StepId,
} from "./deploy-state.ts";
import type { DraftActions } from "./draft-actions.ts";
import {
  addVariable,
  backStep,
  checkStep,
  choose,
  editField,
  moveFocus,
  openStep,
  withFocus,
} from "./form-reducer.ts";
import type { LaunchActions } from "./launch-actions.ts";
import { layoutPage } from "./page-layout.ts";
import { adjacentStep, advancedStepsOf, focusedItem, pageOf, wrongAnswer } from "./steps.ts";

/** Steps to fix a failed check, by its subject. */
const fixingSteps: Readonly<Record<string, StepId>> = {
  variables: "variables",
  secrets: "variables",
  gpu: "resources",
  hardware: "resources",
  server: "where",
  port: "where",
};

/** Rows that stay visible when scrolling by a page, borders included. */
const keptRows = 4;

/** Fields whose text is a path. */
export const pathFields: ReadonlySet<string> = new Set(["script", "file"]);

export interface StepParts {
  readonly loader: DeployLoader;
  readonly drafts: DraftActions;
  readonly launch: LaunchActions;
}

export class StepActions {
  readonly #context: DeployContext;
  readonly #parts: StepParts;

  constructor(context: DeployContext, parts: StepParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Goes to the next step once the current one is valid; launches from the review. */
  async next(): Promise<undefined> {
    const { step } = this.#state;
    if (await this.#mayLeave()) this.#advance(adjacentStep(step, 1));
  }

  /** Goes to the review once the current step is valid; unanswered settings keep the script's values. */
  async review(): Promise<undefined> {
    if (await this.#mayLeave()) this.#advance("review");
  }

  /** Opens an advanced step. */
  async advanced(): Promise<undefined> {
    const choices = advancedStepsOf(this.#state).map(({ id, title, note = "" }) => {
      return { value: id, title, note };
    });
    const chosen = await this.#context.frame.choose("Advanced", choices);
    const step = choices.find(({ value }) => value === chosen)?.value;
    if (step !== undefined) this.open(step);
  }

  async back(): Promise<undefined> {
    if (!(await this.#parts.launch.mayLoseKey())) return;
    this.#opened(backStep(this.#state));
  }

  /** Goes to the invalid answer, or to the step that fixes the first failed check. */
  fix(): undefined {
    const wrong = wrongAnswer(this.#state);
    const { subject = "" } = firstFault(this.#state) ?? {};
    this.open(wrong?.step ?? fixingSteps[subject] ?? "found");
    if (wrong === undefined) return;
    const { items } = pageOf(this.#state);
    const focus = items.findIndex(({ id }) => id === wrong.field);
    this.#context.store.update(checkStep(withFocus(this.#state, focus)));
  }

  open(step: StepId): void {
    this.#opened(openStep(this.#state, step));
  }

  move(distance: -1 | 1): undefined {
    this.#changed(moveFocus(this.#state, distance));
  }

  choose(distance: -1 | 1): undefined {
    this.#changed(choose(this.#state, distance));
  }

  /** Edits the text of the focused field. */
  edit(change: (field: EditorState) => EditorState): void {
    this.#context.store.update(editField(this.#state, change));
  }

  /** Completes a path to the common prefix of all matches; elsewhere goes to the next field. */
  async complete(): Promise<string | undefined> {
    const { store, folder } = this.#context;
    const item = focusedItem(this.#state);
    if (item === undefined || !pathFields.has(item.id)) {
      store.update(moveFocus(this.#state, 1));
      return undefined;
    }
    const { id, value } = item;
    // Quoted, since a path may contain blanks here.
    const { typed, matches } = await completePath({ typed: value, quote: '"' }, folder);
    const { given, editor } = this.#state;
    const now = focusedItem(this.#state);
    if (now?.id !== id || now.value !== value) return undefined;
    const fitting = matches.filter((name) => name.endsWith("/") || name.endsWith(".py"));
    const [only] = fitting;
    const isOne = fitting.length === 1;
    const whole = isOne ? value.slice(0, value.lastIndexOf("/") + 1) + only : typed;
    store.update({
      given: { ...given, [id]: whole },
      editor: fieldWith(editor, whole),
      paths: isOne ? [] : fitting,
    });
    return only === undefined ? "No matching files." : undefined;
  }

  scroll(direction: -1 | 1): undefined {
    const { store, frame, glyphs } = this.#context;
    const size = frame.bodySize();
    const rows = direction * Math.max(1, size.rows - keptRows);
    const { lastScroll } = layoutPage(this.#state, size, glyphs);
    store.update({ scroll: Math.max(0, Math.min(lastScroll, this.#state.scroll + rows)) });
  }

  async otherDraft(): Promise<string | undefined> {
    const { loader, drafts, launch } = this.#parts;
    if (!(await launch.mayLoseKey())) return undefined;
    const told = await drafts.choose();
    loader.open();
    return told;
  }

  async startOver(): Promise<undefined> {
    const { frame, store } = this.#context;
    const { drafts, launch } = this.#parts;
    const isOpen = this.#state.launch === undefined && Object.keys(this.#state.given).length > 0;
    if (isOpen && !(await frame.confirm("Discard these answers and start over?"))) return;
    if (!(await launch.mayLoseKey())) return;
    await drafts.remove();
    store.update(restartedState(this.#state));
    this.open("script");
  }

  /** Reads, checks or launches again. */
  async retry(): Promise<undefined> {
    const { store } = this.#context;
    const { loader, launch } = this.#parts;
    if (this.#state.step !== "launch") {
      loader.retry();
      return;
    }
    // The script may have been corrected.
    store.update({ work: "reading and checking the script again" });
    await loader.check();
    store.update({ work: undefined });
    if (loader.isReady) await launch.launch();
    else this.open("review");
  }

  /** Returns from the launch to the answers. */
  async editAnswers(): Promise<undefined> {
    const { loader, launch } = this.#parts;
    const isRunning = this.#state.launch?.state === "running";
    const question = "The launch continues until a new one replaces it. Edit the answers?";
    if (isRunning && !(await this.#context.frame.confirm(question))) return;
    if (!(await launch.mayLoseKey())) return;
    loader.forget("script", "functions");
    launch.leave();
    this.open("app");
  }

  /** Starts with a local model; the other answers stay. */
  deployModel(model: string): void {
    const { given, launch } = this.#state;
    if (launch?.state === "running") return;
    this.#context.store.update({ launch: undefined, given: { ...given, source: "model", model } });
    this.open("script");
  }

  get #state(): DeployState {
    return this.#context.store.get();
  }

  /** Checks the step and asks for confirmations. Stays in the step after adding a variable. */
  async #mayLeave(): Promise<boolean> {
    const { store } = this.#context;
    const { step } = this.#state;
    // Enter may follow Esc at once, while models are listed again.
    if (step === "script") await this.#parts.loader.settled("models");
    const before = this.#state;
    if (before.step !== step) return false;
    const checked = checkStep(before);
    store.update(checked);
    if (Object.keys(checked.faults).length > 0) return false;
    if (focusedItem(before)?.id === newVariable && before.given[newVariable]) {
      store.update(addVariable(checked));
      return false;
    }
    // The user may have gone back while a question was open.
    return (await mayLeaveStep(this.#context)) && this.#state.step === before.step;
  }

  #advance(next: StepId | undefined): void {
    const { loader, launch } = this.#parts;
    const { step } = this.#state;
    if (step === "review" && loader.preparation === undefined) {
      this.#context.frame.notify("Answers changed; checking again.");
      this.open("review");
      return;
    }
    // The script may have been changed since it was read.
    if (step === "script") loader.forget("script", "functions");
    if (next !== undefined) this.open(next);
    if (step === "review") void launch.launch();
  }

  /** Shows another step. */
  #opened(state: DeployState): void {
    this.#context.store.update(state);
    this.#parts.loader.open();
    void this.#parts.drafts.save();
  }

  /** Shows a change that may need other facts. */
  #changed(state: DeployState): undefined {
    this.#context.store.update(state);
    this.#parts.loader.read();
  }
}

/** @returns false to stay in the step, which shows why */
async function mayLeaveStep(context: DeployContext): Promise<boolean> {
  const { step, given } = context.store.get();
  switch (step) {
    case "script":
      if (given.source === "model") return await writeScript(context);
      divideReference(context);
      return true;
    case "app":
      return await confirmPublic(context);
    // A draft may contain the answer about access.
    case "review":
      return (await confirmFaults(context)) && (await confirmPublic(context));
    default:
      return true;
  }
}

/** Splits `deploy.py::serve` in the path field into path and function. */
function divideReference({ store }: DeployContext): void {
  const { given } = store.get();
  const [file = "", target = ""] = (given.script ?? "").split("::");
  if (target !== "") store.update({ given: { ...given, script: file, target } });
}

/** Writes the script that serves the chosen model. */
async function writeScript({ store, cloud, frame, folder }: DeployContext): Promise<boolean> {
  const { given, known } = store.get();
  const file = scriptOf(given);
  const absolute = toAbsolutePath(file, folder);
  const model = given.model ?? loadedValue(known.models)?.[0]?.name ?? "";
  store.update({ given: { ...given, model, file } });
  try {
    const { text } = cloud.scripts.generate(model, path.basename(file));
    const existing = await readFile(absolute, "utf8").catch(() => undefined);
    if (existing === text) return true;
    const replaces = existing !== undefined;
    const question = `Replace ${file} with a script for ${model}?`;
    if (replaces && !(await frame.confirm(question))) return false;
    await cloud.scripts.write(absolute, text, replaces);
    return true;
  } catch (error) {
    const sentence = error instanceof ProductError ? error.message : describeError(error);
    store.update({ faults: { file: sentence } });
    return false;
  }
}

async function confirmPublic({ store, frame }: DeployContext): Promise<boolean> {
  const state = store.get();
  if (authOf(state.given, baseOf(state)) !== "public" || state.isPublicConfirmed) return true;
  const isPublicConfirmed = await frame.confirm(
    "Anyone who can reach the URL can use the app without a key. Make it public?",
  );
  store.update({ isPublicConfirmed });
  return isPublicConfirmed;
}

async function confirmFaults({ store, frame }: DeployContext): Promise<boolean> {
  const fault = firstFault(store.get());
  if (fault === undefined) return true;
  return await frame.confirm(`${fault.sentence} The launch would fail. Launch anyway?`);
}
