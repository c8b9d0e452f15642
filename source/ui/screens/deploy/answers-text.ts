// All answers as one text for the person's own editor: a line `name = value` for each, below the titles of
// the steps.

import { type GivenValues, isEphemeral, newVariable, variablePrefix } from "./answers.ts";
import type { DeployContext, DeployState, StepId } from "./deploy-state.ts";
import { faultsIn, type Item } from "./form.ts";
import { withFocus, withMode } from "./form-reducer.ts";
import { settings } from "./settings.ts";
import type { StepActions } from "./step-actions.ts";
import { advancedStepsOf, mainSteps, pageOf } from "./steps.ts";

/** Stands in place of a secret; whoever leaves it keeps the secret. */
export const secretMask = "********";
/** In front of what is wrong with the line below; such lines are taken out again. */
const problemSign = "#!";
const envWord = "env ";

/** Names of the fields in the text: those of their flags, where they have one. */
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
/** They are fields that change others, or become others. */
const leftOut = new Set(["preset", newVariable]);

/** The fields of every step, as far as the script is read. */
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
  const unread = isRead ? [] : ["", "# What the script can be given is here once it is read."];
  return `${[...head, ...parts, ...unread].join("\n")}\n`;
}

const head = [
  "# All answers of the deploy screen. Lines that begin with # are not read; a line that is taken out, or",
  "# has no value, is as the script says. Nothing is sent: the screen checks what you save.",
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
  // JSON for values that a line cannot hold as they are.
  return /^["\s]|[\r\n]|\s$/.test(value) ? JSON.stringify(value) : value;
}

export interface ReadAnswers {
  readonly given: GivenValues;
  /** The names of the fields that have another value now. */
  readonly changed: readonly string[];
  /** Lines that are no answers, and why; their numbers count from 1. */
  readonly problems: readonly { readonly line: number; readonly sentence: string }[];
}

/** Reads the text that `writeAnswers` has made of the same state. */
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
      problems.push({ line: index + 1, sentence: `${nameOf(answer.id)} is answered twice.` });
    } else read.set(answer.id, answer.value);
  }
  return { ...applied(state.given, shown, read), problems };
}

/** A line as an answer, or why it is none. */
function readLine(
  row: string,
  shown: ReadonlyMap<string, Item>,
): { readonly id: string; readonly value: string } | { readonly sentence: string } {
  const at = row.indexOf("=");
  if (at === -1) return { sentence: "It is no answer: use name = value." };
  const name = row.slice(0, at).trim();
  const id = idOf(name) ?? "";
  const item = shown.get(id);
  if (item === undefined && !id.startsWith(variablePrefix)) {
    return { sentence: `There is no answer called ${name}.` };
  }
  const value = textIn(row.slice(at + 1).trim());
  if (value === undefined) return { sentence: "The value is no JSON text." };
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

/** @returns undefined for a text in quotes that is none */
function textIn(text: string): string | undefined {
  if (!text.startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Only what differs from what was shown becomes an answer. */
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
    const isDrawn = id === "name" && isEphemeral(before);
    if (value === "" && !isDrawn) delete given[id];
    else given[id] = value;
  }
  for (const [id, value] of read) {
    if (shown.has(id) || value === "") continue;
    changed.push(id);
    given[id] = value;
  }
  return { given, changed: changed.filter((id) => given[id] !== before[id]) };
}

/** The text with what is wrong above the lines that it is about. */
export function withProblems(text: string, problems: ReadAnswers["problems"]): string {
  const rows = text.split(/\r?\n/);
  return rows
    .flatMap((row, index) => {
      const own = problems.filter(({ line }) => line === index + 1);
      return [...own.map(({ sentence }) => `${problemSign} ${sentence}`), row];
    })
    .join("\n");
}

/** The text without what was said against it. */
export function withoutProblems(text: string): string {
  const rows = text.split(/\r?\n/).filter((row) => !row.trimStart().startsWith(problemSign));
  return rows.join("\n");
}

/** These make it another script, whose fields have to be read first. */
const scriptFields = new Set(["source", "script", "model", "file", "target"]);

export class TextActions {
  readonly #context: DeployContext;
  readonly #steps: StepActions;
  /** A refused text: the next edit goes on with it, unless an answer has changed since. */
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
      if (this.#state.given !== before.given) return "The answers have changed meanwhile.";
      const own = withoutProblems(saved ?? text);
      const read = readAnswers(own, before);
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
      frame.notify("It is another script now: Enter reads it. The other answers are as you wrote.");
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

/** A proposed name goes and comes with the mode. */
function modeTaken(given: GivenValues, changed: readonly string[]): GivenValues {
  return changed.includes("name") ? given : withMode(given, given.mode ?? "deploy");
}

/** The first changed field that is at fault, and the faults of its step. */
function firstWrong(state: DeployState, changed: readonly string[]) {
  for (const { step, items } of fieldsOf(state)) {
    const faults = faultsIn(pageOf({ ...state, step }).items);
    const wrong = items.find(({ id }) => changed.includes(id) && faults[id] !== undefined);
    if (wrong !== undefined) return { step, id: wrong.id, faults };
  }
  return undefined;
}

/** The step to show after the edit: one may be gone with the mode. */
function nextStep(state: DeployState): StepId {
  const { step } = state;
  const isThere = [...mainSteps, ...advancedStepsOf(state)].some(({ id }) => id === step);
  return isThere ? step : "review";
}
