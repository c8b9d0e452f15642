// All answers as one text for the person's own editor: a line `name = value` for each, below the titles of
// the steps.

import { type Given, isEphemeral, variablePrefix } from "./answers.ts";
import type { DeployContext, DeployState, PageContext } from "./deploy-state.ts";
import type { Item } from "./form.ts";
import { faultsOf, givenAfterMode, openStep, withFocus } from "./form-reducer.ts";
import { pageOf } from "./pages.ts";
import { settings } from "./settings.ts";
import { newVariable } from "./settings-pages.ts";
import type { StepActions } from "./step-actions.ts";
import { type StepId, stepsOf } from "./steps.ts";

/** Stands in place of a secret; whoever leaves it keeps the secret. */
export const keptSecret = "********";
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

interface StepItem {
  readonly step: StepId;
  readonly item: Item;
}

/** The fields of every step, as far as the script is read. */
function fieldsOf(state: DeployState, context: PageContext): readonly StepItem[] {
  return stepsOf(isEphemeral(state.given)).flatMap(({ id: step }) =>
    pageOf({ ...state, step }, context)
      .items.filter(({ id }) => !leftOut.has(id))
      .map((item) => ({ step, item })),
  );
}

export function writeAnswers(state: DeployState, context: PageContext): string {
  const fields = fieldsOf(state, context);
  const parts = stepsOf(isEphemeral(state.given)).map(({ id, title }) => {
    const own = fields.filter(({ step }) => step === id);
    if (own.length === 0) return [];
    return ["", `# ${title}`, ...own.flatMap(({ item }) => linesOf(item)), ...more(id)];
  });
  const unread = fields.some(({ step }) => step === "timeouts")
    ? []
    : ["", "# What the script can be given is here once it is read."];
  return `${[...head, ...parts.flat(), ...unread].join("\n")}\n`;
}

const head = [
  "# All answers of the deploy screen. Lines that begin with # are not read; a line that is taken out, or",
  "# has no value, is as the script says. Nothing is sent: the screen checks what you save.",
];

function more(step: StepId): string[] {
  return step === "variables" ? ["# Others: env NAME = VALUE"] : [];
}

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
  if (item.kind === "text" && item.mask !== undefined && value !== "") return keptSecret;
  // JSON for values that a line cannot hold as they are.
  return /^["\s]|[\r\n]|\s$/.test(value) ? JSON.stringify(value) : value;
}

export interface ReadAnswers {
  readonly given: Given;
  /** The names of the fields that have another value now. */
  readonly changed: readonly string[];
  /** Lines that are no answers, and why; their numbers count from 1. */
  readonly problems: readonly { readonly line: number; readonly sentence: string }[];
}

/** Reads the text that `writeAnswers` has made of the same state. */
export function readAnswers(text: string, state: DeployState, context: PageContext): ReadAnswers {
  const shown = new Map(fieldsOf(state, context).map(({ item }) => [item.id, item]));
  const problems: { line: number; sentence: string }[] = [];
  const read = new Map<string, string>();
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    if (row.trim() === "" || row.trimStart().startsWith("#")) continue;
    const line = index + 1;
    const at = row.indexOf("=");
    const name = row.slice(0, Math.max(0, at)).trim();
    const id = idOf(name);
    const value = textIn(row.slice(at + 1).trim());
    const item = id === undefined ? undefined : shown.get(id);
    const problem =
      at === -1
        ? "It is no answer: use name = value."
        : id === undefined || (item === undefined && !id.startsWith(variablePrefix))
          ? `There is no answer called ${name}.`
          : read.has(id)
            ? `${name} is answered twice.`
            : ((value === undefined ? "The value is no JSON text." : undefined) ??
              optionProblem(item, value ?? ""));
    if (problem !== undefined) problems.push({ line, sentence: problem });
    else if (id !== undefined && value !== undefined) read.set(id, value);
  }
  return { ...applied(state.given, shown, read), problems };
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

function optionProblem(item: Item | undefined, value: string): string | undefined {
  if (item?.kind !== "choice" || value === "") return undefined;
  if (item.options.some((option) => option.value === value)) return undefined;
  return `Use one of ${item.options.map((option) => option.value).join(", ")}.`;
}

/** Only what differs from what was shown becomes an answer. */
function applied(
  before: Given,
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
