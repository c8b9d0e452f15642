// All answers as one text for the user's editor: a line `name = value` each, below the titles of
// the steps.

import { parseJson } from "../../../base/json.ts";
import { type GivenValues, isEphemeral, newVariable, variablePrefix } from "./answers.ts";
import type { DeployState } from "./deploy-state.ts";
import { faultsIn, type Item } from "./form.ts";
import { checkStep, withMode } from "./form-reducer.ts";
import { settings } from "./settings.ts";
import { type DeployContext, open } from "./step-actions.ts";
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
  const isRead = state.known.script?.kind === "loaded";
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
  const value = parseJson(text);
  return typeof value === "string" ? value : undefined;
}

/** Applies only values that differ from the shown ones. */
function applied(
  before: GivenValues,
  shown: ReadonlyMap<string, Item>,
  read: ReadonlyMap<string, string>,
): Pick<ReadAnswers, "given" | "changed"> {
  const given: Record<string, string> = { ...before };
  for (const id of new Set([...shown.keys(), ...read.keys()])) {
    const item = shown.get(id);
    const value = read.get(id) ?? "";
    if (item !== undefined && (value === item.value || value === shownValue(item))) continue;
    const isGenerated = id === "name" && isEphemeral(before);
    if (value === "" && !isGenerated) delete given[id];
    else given[id] = value;
  }
  const ids = Object.keys({ ...before, ...given });
  return { given, changed: ids.filter((id) => given[id] !== before[id]) };
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

/** Rejected texts, by the answers that they began with: the next edit resumes them. */
const rejected = new WeakMap<GivenValues, string>();

/** Opens all answers in the user's editor. @returns a sentence when nothing has changed */
export async function editAsText(context: DeployContext): Promise<string | undefined> {
  const { frame, state } = context;
  const { given } = state;
  for (let text = rejected.get(given) ?? writeAnswers(state); ; ) {
    const saved = await frame.edit(text, "conf");
    if (context.state.given !== given) return "The answers changed during the edit.";
    const own = withoutProblems(saved ?? text);
    const read = readAnswers(own, state);
    const [problem] = read.problems;
    if (problem === undefined) {
      rejected.delete(given);
      if (read.changed.length === 0) return "No changes.";
      take(context, read);
      return undefined;
    }
    text = withProblems(own, read.problems);
    rejected.set(given, text);
    if (!(await frame.confirm(`Line ${problem.line}: ${problem.sentence} Edit again?`))) {
      return "Answers unchanged; Ctrl+E resumes the edit.";
    }
  }
}

function take(context: DeployContext, { given: read, changed }: ReadAnswers): void {
  const { store, frame, state } = context;
  const isOther = changed.some((id) => scriptFields.has(id));
  // The mode changes a suggested name.
  const hasNewMode = changed.includes("mode") && !changed.includes("name");
  const given = { ...(hasNewMode ? withMode(read, read.mode ?? "deploy") : read) };
  if (isOther && !changed.includes("target")) delete given.target;
  store.update({ given, ...(changed.includes("auth") && { isPublicConfirmed: false }) });
  if (isOther) {
    open(context, "script");
    frame.notify("The script changed: Enter reads it. Your other answers are kept.");
    return;
  }
  const fields = fieldsOf(context.state);
  const wrong = fields.find(({ items }) => {
    const faults = faultsIn(items);
    return changed.some((id) => faults[id] !== undefined);
  });
  // The mode may have removed the current step.
  const current = fields.find(({ step }) => step === state.step);
  open(context, (wrong ?? current)?.step ?? "review");
  if (wrong !== undefined) store.update(checkStep(context.state));
}
