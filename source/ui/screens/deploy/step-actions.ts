// Actions of the steps: edit fields, go forward and back, start over.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { toAbsolutePath } from "../../../base/file-path.ts";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { completePath } from "../../../client/attachments/complete-path.ts";
import { loadedValue } from "../../../client/live/loadable.ts";
import { fieldWith } from "../../editor/line-field.ts";
import { authOf, newVariable, scriptOf } from "./answers.ts";
import type { DeployLoader } from "./deploy-loader.ts";
import {
  baseOf,
  type DeployServices,
  type DeployState,
  firstFault,
  restartedState,
  type StepId,
} from "./deploy-state.ts";
import type { DraftActions } from "./draft-actions.ts";
import type { Item } from "./form.ts";
import { addVariable, checkStep, choose, moveFocus, openStep } from "./form-reducer.ts";
import type { LaunchActions } from "./launch-actions.ts";
import { layoutPage } from "./page-rows.tsx";
import { adjacentStep, advancedStepsOf, wrongAnswer } from "./steps.ts";

/** Context of the screen's commands. */
export interface DeployContext extends DeployServices {
  readonly state: DeployState;
  /** The focused field. */
  readonly item: Item | undefined;
  readonly loader: DeployLoader;
  readonly drafts: DraftActions;
  readonly launch: LaunchActions;
}

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

/** Goes to the next step once the current one is valid; launches from the review. */
export async function next(context: DeployContext): Promise<undefined> {
  const { step } = context.state;
  if (await mayLeave(context)) advance(context, adjacentStep(step, 1));
}

/** Goes to the review once the current step is valid; unanswered settings keep the script's values. */
export async function review(context: DeployContext): Promise<undefined> {
  if (await mayLeave(context)) advance(context, "review");
}

/** Opens an advanced step. */
export async function advanced(context: DeployContext): Promise<undefined> {
  const choices = advancedStepsOf(context.state).map(({ id, title, note = "" }) => {
    return { value: id, title, note };
  });
  const chosen = await context.frame.choose("Advanced", choices);
  const step = choices.find(({ value }) => value === chosen)?.value;
  if (step !== undefined) open(context, step);
}

export async function back(context: DeployContext): Promise<undefined> {
  const to = adjacentStep(context.state.step, -1);
  if (to !== undefined && (await context.launch.mayLoseKey())) open(context, to);
}

/** Goes to the invalid answer, or to the step that fixes the first failed check. */
export function fix(context: DeployContext): undefined {
  const wrong = wrongAnswer(context.state);
  const { subject = "" } = firstFault(context.state) ?? {};
  open(context, wrong?.step ?? fixingSteps[subject] ?? "found");
  if (wrong !== undefined) context.store.update(checkStep(context.state));
}

export function open(context: DeployContext, step: StepId): void {
  opened(context, openStep(context.state, step));
}

export function move(context: DeployContext, distance: -1 | 1): undefined {
  changed(context, moveFocus(context.state, distance));
}

export function chooseOption(context: DeployContext, distance: -1 | 1): undefined {
  changed(context, choose(context.state, distance));
}

/** Completes a path to the common prefix of all matches; elsewhere goes to the next field. */
export async function complete(context: DeployContext): Promise<string | undefined> {
  const { store, folder, item } = context;
  if (item === undefined || !pathFields.has(item.id)) {
    store.update(moveFocus(context.state, 1));
    return undefined;
  }
  const { id, value } = item;
  // Quoted, since a path may contain blanks here.
  const { typed, matches } = await completePath({ typed: value, quote: '"' }, folder);
  const { given, editor } = context.state;
  if (context.item?.id !== id || context.item.value !== value) return undefined;
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

export function scroll({ store, state, frame }: DeployContext, pages: -1 | 1): undefined {
  const size = frame.bodySize();
  const rows = pages * Math.max(1, size.rows - keptRows);
  const { lastScroll } = layoutPage(state, size);
  store.update({ scroll: Math.max(0, Math.min(lastScroll, state.scroll + rows)) });
}

export async function chooseDraft({
  loader,
  drafts,
  launch,
}: DeployContext): Promise<string | undefined> {
  if (!(await launch.mayLoseKey())) return undefined;
  const told = await drafts.choose();
  loader.open();
  return told;
}

export async function startOver(context: DeployContext): Promise<undefined> {
  const { frame, store, drafts, launch } = context;
  const isOpen = context.state.launch === undefined && Object.keys(context.state.given).length > 0;
  if (isOpen && !(await frame.confirm("Discard these answers and start over?"))) return;
  if (!(await launch.mayLoseKey())) return;
  await drafts.remove();
  store.update(restartedState(context.state));
  open(context, "script");
}

/** Reads, checks or launches again. */
export async function retry(context: DeployContext): Promise<undefined> {
  const { store, loader, launch } = context;
  if (context.state.step !== "launch") {
    loader.retry();
    return;
  }
  // The script may have been corrected.
  store.update({ work: "reading and checking the script again" });
  await loader.check();
  store.update({ work: undefined });
  const hasQuestion = loadedValue(context.state.known.checked)?.secretsQuestion !== undefined;
  const isReady = loader.preparation !== undefined && firstFault(context.state) === undefined;
  if (isReady && !hasQuestion) await launch.launch();
  else open(context, "review");
}

/** Returns from the launch to the answers. */
export async function editAnswers(context: DeployContext): Promise<undefined> {
  const { frame, loader, launch } = context;
  const isRunning = context.state.launch?.state === "running";
  const question = "The launch continues until a new one replaces it. Edit the answers?";
  if (isRunning && !(await frame.confirm(question))) return;
  if (!(await launch.mayLoseKey())) return;
  loader.forget("script", "functions");
  launch.leave();
  open(context, "app");
}

/** Starts with a local model; the other answers stay. */
export function deployModel(context: DeployContext, model: string): void {
  const { given, launch } = context.state;
  if (launch?.state === "running") return;
  context.store.update({ launch: undefined, given: { ...given, source: "model", model } });
  open(context, "script");
}

/** Shows another step. */
function opened({ store, loader, drafts }: DeployContext, state: DeployState): void {
  store.update(state);
  loader.open();
  void drafts.save();
}

/** Shows a change that may need other facts. */
function changed({ store, loader }: DeployContext, state: DeployState): void {
  store.update(state);
  loader.read();
}

function advance(context: DeployContext, to: StepId | undefined): void {
  const { loader, launch, frame, state } = context;
  if (state.step === "review" && loader.preparation === undefined) {
    frame.notify("Answers changed; checking again.");
    open(context, "review");
    return;
  }
  // The script may have been changed since it was read.
  if (state.step === "script") loader.forget("script", "functions");
  if (to !== undefined) open(context, to);
  if (state.step === "review") void launch.launch();
}

/**
 * Checks the step and asks for confirmations. Stays in the step after adding a variable.
 *
 * @returns false to stay in the step, which shows why
 */
async function mayLeave(context: DeployContext): Promise<boolean> {
  const { step, given } = context.state;
  // Enter may follow Esc at once, while models are listed again.
  if (step === "script" && given.source === "model") await context.loader.load("models");
  const { state, item, store } = context;
  if (state.step !== step) return false;
  const checked = checkStep(state);
  store.update(checked);
  if (Object.keys(checked.faults).length > 0) return false;
  if (item?.id === newVariable && item.value !== "") {
    store.update(addVariable(checked));
    return false;
  }
  // The user may have gone back while a question was open.
  return (await isConfirmed(context)) && context.state.step === step;
}

async function isConfirmed(context: DeployContext): Promise<boolean> {
  const { step, given } = context.state;
  switch (step) {
    case "script":
      if (given.source === "model") return await writeScript(context);
      divideReference(context);
      return true;
    case "app":
      return await confirmPublic(context);
    // A draft may contain the answer about access.
    case "review":
      return (
        (await confirmFaults(context)) &&
        (await confirmPublic(context)) &&
        (await confirmSecrets(context))
      );
    default:
      return true;
  }
}

/** Splits `deploy.py::serve` in the path field into path and function. */
function divideReference({ store, state: { given } }: DeployContext): void {
  const [file = "", target = ""] = (given.script ?? "").split("::");
  if (target !== "") store.update({ given: { ...given, script: file, target } });
}

/** Writes the script that serves the chosen model. */
async function writeScript({ store, state, cloud, frame, folder }: DeployContext) {
  const { given, known } = state;
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

async function confirmPublic({ store, state, frame }: DeployContext): Promise<boolean> {
  if (authOf(state.given, baseOf(state)) !== "public" || state.isPublicConfirmed) return true;
  const isPublicConfirmed = await frame.confirm(
    "Anyone who can reach the URL can use the app without a key. Make it public?",
  );
  store.update({ isPublicConfirmed });
  return isPublicConfirmed;
}

async function confirmFaults({ state, frame }: DeployContext): Promise<boolean> {
  const fault = firstFault(state);
  if (fault === undefined) return true;
  return await frame.confirm(`${fault.sentence} The launch would fail. Launch anyway?`);
}

async function confirmSecrets({ state, frame }: DeployContext): Promise<boolean> {
  const question = loadedValue(state.known.checked)?.secretsQuestion;
  return question === undefined || (await frame.confirm(question));
}
