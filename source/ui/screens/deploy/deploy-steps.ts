// What happens between the steps: what is checked, asked, written and read before the next one opens.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { toAbsolutePath } from "../../../base/file-path.ts";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { completePath } from "../../../client/attachments/complete-path.ts";
import type { FrameServices } from "../../frame/screen.ts";
import { fieldWith } from "../../panes/text-field.ts";
import type { Store } from "../../state/store.ts";
import type { ScriptAccess } from "../cloud-access.ts";
import { authOf, isEphemeral, scriptOf } from "./answers.ts";
import { arrived } from "./asked.ts";
import type { DeployReader } from "./deploy-reader.ts";
import { baseOf, type DeployState } from "./deploy-state.ts";
import { addVariable, backStep, checkStep, openStep } from "./form-reducer.ts";
import { focusedItem, type PageView } from "./page-of.ts";
import { newVariable } from "./pages-of-settings.ts";
import { type StepId, stepBeside } from "./steps.ts";

export interface StepOptions {
  readonly store: Store<DeployState>;
  readonly reader: DeployReader;
  readonly scripts: ScriptAccess;
  readonly frame: FrameServices;
  readonly folder: string;
  readonly view: () => PageView;
  /** Called when another step has been opened. */
  readonly onStep: () => void;
  readonly launch: () => void;
}

/** The step that mends what a check complains of. */
const mendingSteps: Readonly<Record<string, StepId>> = {
  variables: "variables",
  secrets: "variables",
  gpu: "resources",
  hardware: "resources",
  server: "where",
  port: "where",
};

export class DeploySteps {
  readonly #options: StepOptions;

  constructor(options: StepOptions) {
    this.#options = options;
  }

  async next(): Promise<string | undefined> {
    const { store, view } = this.#options;
    const asked = this.#state;
    const item = focusedItem(asked, view());
    const checked = checkStep(asked, view());
    store.update(checked);
    if (Object.keys(checked.faults).length > 0) return undefined;
    if (item?.id === newVariable && (asked.given[newVariable] ?? "") !== "") {
      store.update(addVariable(checked, view()));
      return undefined;
    }
    const isReady = await this.#leave(asked.step);
    // Who asked a question meanwhile may have gone back in the meantime.
    if (!isReady || this.#state.step !== asked.step) return undefined;
    this.#advance();
    return undefined;
  }

  back(): void {
    const { store, reader, view, onStep } = this.#options;
    store.update(backStep(this.#state, view()));
    reader.open();
    onStep();
  }

  /** To the step that mends the first fault of the checks. */
  mend(): void {
    const checked = arrived(this.#state.known.checked);
    const fault = checked?.findings.find(({ kind }) => kind === "fault");
    this.open(mendingSteps[fault?.subject ?? ""] ?? "found");
  }

  /** Opens a step, and reads what it needs. */
  open(step: StepId): void {
    const { reader } = this.#options;
    this.show(step);
    if (step === "preflight") void reader.check();
  }

  /** Opens a step with what was read for it. */
  show(step: StepId): void {
    const { store, reader, view, onStep } = this.#options;
    store.update(openStep(this.#state, step, view()));
    reader.open();
    onStep();
  }

  /** Tab in a path: as far as all that fit agree. */
  async complete(): Promise<string | undefined> {
    const { store, view, folder } = this.#options;
    const item = focusedItem(this.#state, view());
    if (item?.kind !== "text") return undefined;
    const text = item.value;
    // As in quotes: a blank in a path is no end of it here.
    const { typed, matches } = await completePath({ typed: text, quote: '"' }, folder);
    const state = this.#state;
    if (focusedItem(state, view())?.id !== item.id || state.editor.text !== text) return undefined;
    const fitting = matches.filter((name) => name.endsWith("/") || name.endsWith(".py"));
    const [only] = fitting;
    const whole =
      fitting.length === 1 && only ? text.slice(0, text.lastIndexOf("/") + 1) + only : typed;
    const given = { ...state.given, [item.id]: whole };
    const editor = fieldWith(state.editor, whole);
    store.update({ given, editor, paths: fitting.length > 1 ? fitting : [] });
    return fitting.length === 0 ? "Nothing here begins with that." : undefined;
  }

  get #state(): DeployState {
    return this.#options.store.get();
  }

  #advance(): void {
    const { step, given } = this.#state;
    if (step === "review") {
      this.open("launch");
      this.#options.launch();
      return;
    }
    const next = stepBeside(step, 1, isEphemeral(given));
    if (next !== undefined) this.open(next);
  }

  /** @returns false: the step stays, and says why */
  async #leave(step: StepId): Promise<boolean> {
    const { reader } = this.#options;
    switch (step) {
      case "script":
        if (this.#state.given.source === "model" && !(await this.#writeScript())) return false;
        this.#divideReference();
        // It may have been changed since it was read.
        reader.forget("script", "functions");
        return true;
      case "access":
        return await this.#confirmPublic();
      case "preflight":
        return await this.#confirmFaults();
      case "review":
        return await this.#confirmLaunch();
      default:
        return true;
    }
  }

  /** `deploy.py::serve` in the field for the path names a function as well. */
  #divideReference(): void {
    const { store } = this.#options;
    const { given } = this.#state;
    const [file = "", target = ""] = (given.script ?? "").split("::");
    if (given.source === "model" || target === "") return;
    store.update({ given: { ...given, script: file, target } });
  }

  async #writeScript(): Promise<boolean> {
    const { store, scripts, frame, folder } = this.#options;
    const { given, known } = this.#state;
    const file = scriptOf(given);
    const absolute = toAbsolutePath(file, folder);
    const model = given.model ?? arrived(known.models)?.[0]?.name ?? "";
    store.update({ given: { ...given, model, file } });
    try {
      const { text } = scripts.generate(model, path.basename(file));
      const existing = await readFile(absolute, "utf8").catch(() => undefined);
      if (existing === text) return true;
      const replaces = existing !== undefined;
      const question = `${file} is there already. Replace it with a script for ${model}?`;
      if (replaces && !(await frame.confirm(question))) return false;
      await scripts.write(absolute, text, replaces);
      return true;
    } catch (error) {
      const sentence = error instanceof ProductError ? error.message : describeError(error);
      store.update({ faults: { file: sentence } });
      return false;
    }
  }

  async #confirmPublic(): Promise<boolean> {
    const { store, frame } = this.#options;
    const state = this.#state;
    if (authOf(state.given, baseOf(state)) !== "public" || state.isPublicConfirmed) return true;
    const isSure = await frame.confirm(
      "Public: anybody who reaches the address may use it, without a key. Make it public?",
    );
    if (isSure) store.update({ isPublicConfirmed: true });
    return isSure;
  }

  async #confirmFaults(): Promise<boolean> {
    const checked = arrived(this.#state.known.checked);
    const faults = checked?.findings.filter(({ kind }) => kind === "fault") ?? [];
    if (faults.length === 0) return true;
    return await this.#options.frame.confirm(
      `${faults[0]?.sentence ?? ""} The launch would fail. Go on all the same?`,
    );
  }

  async #confirmLaunch(): Promise<boolean> {
    // Access may have been answered before, and read from a draft.
    if (!(await this.#confirmPublic())) return false;
    if (this.#options.reader.preparation !== undefined) return true;
    this.#options.frame.notify("Answers have changed since: they are checked again.");
    this.open("preflight");
    return false;
  }
}
