// All answers as one text for the user's editor: a line `name = value` each, below the titles of
// the steps.

import { type GivenValues, isEphemeral, newVariable, variablePrefix } from "./answers.ts";
import type { DeployContext, DeployState, StepId } from "./deploy-state.ts";
import { faultsIn, type Item } from "./form.ts";
import { withFocus, withMode } from "./form-reducer.ts";
import { settings } from "./settings.ts";
import type { StepActions } from "./step-actions.ts";
import { advancedStepsOf, mainSteps, pageOf } from "./steps.ts";

/** Placeholder for a secret; an unchanged one keeps the secret. */
export const secretMask = "********";
/** Marks the error in the line below; marked lines are removed again. */
const problemSign = "#!";
const envWord = "env ";

/** Names of the fields in the text: the names of their flags, if any. */
const names: Readonly<Record<string, string>> = {
  source: "deploy",
  file: "write-to",
  target: "function",
  name: "app-name",
  imageMode: "image-mode",
  secretNames: "secrets",
  ...Object.fromEntries(settings.map(({ id, flag }) => [id, flag.slice(2)])),
};
const ids: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(names).map(([id, name]) => [name, id]),
);
/** Fields that change or become other fields. */
const leftOut = new Set(["preset", newVariable]);

/** Returns the fields of every step, as far as the script is read. */
function fieldsOf(state: DeployState) {
  return [...mainSteps, ...advancedStepsOf(state)].map(({ id: step, title }) => {
    const { items } = pageOf({ ...state, step });
    return { step, title, items: items.filter(({ id }) => !leftOut.has(id)) };
  });
}

export function writeAnswers(state: DeployState): string {
  const fields = fieldsOf(state);
  const parts = fields
    .filter(({ items }) => items.length > 0)
    .flatMap(({ step, title, items }) => {
      const others = step === "variables" ? ["# Others: env NAME = VALUE"] : [];
      return ["", `# ${title}`, ...items.flatMap(linesOf), ...others];
    });
  const isRead = fields.some(({ step, items }) => step === "timeouts" && items.length > 0);
  const unread = isRead ? [] : ["", "# More settings appear here once the script is read."];
  return `${[...head, ...parts, ...unread].join("\n")}\n`;
}

const head = [
  "# All answers of the deploy screen. Lines that start with # are ignored; a line that is removed or empty",
  "# uses the script's default. Saving deploys nothing: the screen checks the answers.",
];

function linesOf(item: Item): string[] {
  const line = `${nameOf(item.id)} = ${shownValue(item)}`.trimEnd();
  if (item.kind === "choice") {
    return [`# ${item.options.map(({ value }) => value).join(", ")}`, line];
  }
  return item.note ? [`# ${item.note}`, line] : [line];
}

function nameOf(id: string): string {
  return id.startsWith(variablePrefix)
    ? envWord + id.slice(variablePrefix.length)
    : (names[id] ?? id);
}

function shownValue(item: Item): string {
  const { value } = item;
  if (item.kind === "text" && item.mask !== undefined && value !== "") return secretMask;
  // JSON where a plain line cannot hold the value.
  return /^["\s]|[\r\n]|\s$/.test(value) ? JSON.stringify(value) : value;
}

export interface ReadAnswers {
  readonly given: GivenValues;
  /** Names of the changed fields. */
  readonly changed: readonly string[];
  /** Invalid lines with the reason; line numbers start at 1. */
  readonly problems: readonly { readonly line: number; readonly sentence: string }[];
}

/** Reads the text that `writeAnswers` wrote from the same state. */
export function readAnswers(text: string, state: DeployState): ReadAnswers {
  const shown = new Map(
    fieldsOf(state).flatMap(({ items }) => items.map((item) => [item.id, item])),
  );
  const problems: { line: number; sentence: string }[] = [];
  const read = new Map<string, string>();
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    if (row.trim() === "" || row.trimStart().startsWith("#")) continue;
    const answer = readLine(row, shown);
    if ("sentence" in answer) problems.push({ line: index + 1, sentence: answer.sentence });
    else if (read.has(answer.id)) {
      problems.push({ line: index + 1, sentence: `${nameOf(answer.id)} is set twice.` });
    } else read.set(answer.id, answer.value);
  }
  return { ...applied(state.given, shown, read), problems };
}

/** Returns the answer in a line, or why it is invalid. */
function readLine(
  row: string,
  shown: ReadonlyMap<string, Item>,
): { readonly id: string; readonly value: string } | { readonly sentence: string } {
  const at = row.indexOf("=");
  if (at === -1) return { sentence: "Use name = value." };
  const name = row.slice(0, at).trim();
  const id = idOf(name) ?? "";
  const item = shown.get(id);
  if (item === undefined && !id.startsWith(variablePrefix)) {
    return { sentence: `Unknown name ${name}.` };
  }
  const value = textIn(row.slice(at + 1).trim());
  if (value === undefined) return { sentence: "The quoted value is not valid JSON." };
  const options = item?.kind === "choice" ? item.options.map((option) => option.value) : [value];
  if (value !== "" && !options.includes(value)) {
    return { sentence: `Use one of ${options.join(", ")}.` };
  }
  return { id, value };
}

function idOf(name: string): string | undefined {
  if (name.startsWith(envWord)) {
    const variable = name.slice(envWord.length).trim();
    return /^[A-Za-z_]\w{0,127}$/.test(variable) ? variablePrefix + variable : undefined;
  }
  return ids[name] ?? (names[name] === undefined ? name : undefined);
}

/** @returns undefined for an invalid quoted text */
function textIn(text: string): string | undefined {
  if (!text.startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Applies only values that differ from the shown ones. */
function applied(
  before: GivenValues,
  shown: ReadonlyMap<string, Item>,
  read: ReadonlyMap<string, string>,
): Pick<ReadAnswers, "given" | "changed"> {
  const given: Record<string, string> = { ...before };
  const changed: string[] = [];
  for (const [id, item] of shown) {
    const value = read.get(id) ?? "";
    const isKept = value === item.value || value === shownValue(item);
    if (isKept) continue;
    changed.push(id);
    const isGenerated = id === "name" && isEphemeral(before);
    if (value === "" && !isGenerated) delete given[id];
    else given[id] = value;
  }
  for (const [id, value] of read) {
    if (shown.has(id) || value === "") continue;
    changed.push(id);
    given[id] = value;
  }
  return { given, changed: changed.filter((id) => given[id] !== before[id]) };
}

/** Inserts each error above its line. */
export function withProblems(text: string, problems: ReadAnswers["problems"]): string {
  const rows = text.split(/\r?\n/);
  return rows
    .flatMap((row, index) => {
      const own = problems.filter(({ line }) => line === index + 1);
      return [...own.map(({ sentence }) => `${problemSign} ${sentence}`), row];
    })
    .join("\n");
}

/** Removes the error comments from the text. */
export function withoutProblems(text: string): string {
  const rows = text.split(/\r?\n/).filter((row) => !row.trimStart().startsWith(problemSign));
  return rows.join("\n");
}

/** Fields that select another script, which has to be read first. */
const scriptFields = new Set(["source", "script", "model", "file", "target"]);

export class TextActions {
  readonly #context: DeployContext;
  readonly #steps: StepActions;
  /** A rejected text: the next edit resumes it, unless an answer has changed since. */
  #refused: { readonly given: GivenValues; readonly text: string } | undefined;

  constructor(context: DeployContext, steps: StepActions) {
    this.#context = context;
    this.#steps = steps;
  }

  /** @returns a sentence when nothing has changed */
  async edit(): Promise<string | undefined> {
    const { frame } = this.#context;
    const before = this.#state;
    const refused = this.#refused?.given === before.given ? this.#refused.text : undefined;
    for (let text = refused ?? writeAnswers(before); ; ) {
      const saved = await frame.edit(text, "conf");
      if (this.#state.given !== before.given) return "The answers changed during the edit.";
      const own = withoutProblems(saved ?? text);
      const read = readAnswers(own, before);
      const [problem] = read.problems;
      if (problem === undefined) {
        this.#refused = undefined;
        if (read.changed.length === 0) return "No changes.";
        this.#take(read);
        return undefined;
      }
      text = withProblems(own, read.problems);
      this.#refused = { given: before.given, text };
      const question = `Line ${problem.line}: ${problem.sentence} Edit again?`;
      if (!(await frame.confirm(question))) {
        return "Answers unchanged; Ctrl+E resumes the edit.";
      }
    }
  }

  get #state(): DeployState {
    return this.#context.store.get();
  }

  #take({ given, changed }: ReadAnswers): void {
    const { store, frame } = this.#context;
    const { target, ...others } = changed.includes("mode") ? modeTaken(given, changed) : given;
    const isOther = changed.some((id) => scriptFields.has(id));
    const keepsTarget = target !== undefined && (!isOther || changed.includes("target"));
    store.update({
      given: keepsTarget ? { ...others, target } : others,
      ...(changed.includes("auth") && { isPublicConfirmed: false }),
    });
    if (isOther) {
      this.#steps.open("script");
      frame.notify("The script changed: Enter reads it. Your other answers are kept.");
      return;
    }
    const wrong = firstWrong(this.#state, changed);
    if (wrong === undefined) {
      this.#steps.open(nextStep(this.#state));
      return;
    }
    this.#steps.open(wrong.step);
    const index = pageOf(this.#state).items.findIndex(({ id }) => id === wrong.id);
    store.update({ ...withFocus(this.#state, index), faults: wrong.faults });
  }
}

/** Updates a suggested name with the mode. */
function modeTaken(given: GivenValues, changed: readonly string[]): GivenValues {
  return changed.includes("name") ? given : withMode(given, given.mode ?? "deploy");
}

/** Returns the first invalid changed field, and the faults of its step. */
function firstWrong(state: DeployState, changed: readonly string[]) {
  for (const { step, items } of fieldsOf(state)) {
    const faults = faultsIn(pageOf({ ...state, step }).items);
    const wrong = items.find(({ id }) => changed.includes(id) && faults[id] !== undefined);
    if (wrong !== undefined) return { step, id: wrong.id, faults };
  }
  return undefined;
}

/** Returns the step to show after the edit: the mode may have removed the current one. */
function nextStep(state: DeployState): StepId {
  const { step } = state;
  const isThere = [...mainSteps, ...advancedStepsOf(state)].some(({ id }) => id === step);
  return isThere ? step : "review";
}
