// What happens on a key of the deploy screen.

import type { AppDocument } from "../../../cloud/admin/documents.ts";
import type { BodySize, FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../state/store.ts";
import type { CloudAccess, CloudServer } from "../cloud-access.ts";
import { arrived } from "./asked.ts";
import { commandText } from "./command-text.ts";
import type { DeployActions } from "./deploy-commands.ts";
import type { DeployLauncher } from "./deploy-launcher.ts";
import { lastScroll } from "./deploy-picture.ts";
import type { DeployReader } from "./deploy-reader.ts";
import { baseOf, createDeployState, type DeployState, profileOf } from "./deploy-state.ts";
import type { DeploySteps } from "./deploy-steps.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { choose, moveFocus } from "./form-reducer.ts";
import { focusedItem, type PageView } from "./page-of.ts";
import { TextForm } from "./text-form.ts";

export interface DeployControllerOptions {
  readonly cloud: CloudAccess;
  readonly frame: FrameServices;
  readonly chatWith: (server: CloudServer, app: AppDocument, token?: string) => Promise<void>;
  readonly store: Store<DeployState>;
  readonly reader: DeployReader;
  readonly steps: DeploySteps;
  readonly launcher: DeployLauncher;
  readonly draft: DraftKeeper;
  readonly view: () => PageView;
  readonly size: () => BodySize;
}

export class DeployController implements DeployActions {
  readonly #options: DeployControllerOptions;
  readonly #text: TextForm;

  constructor(options: DeployControllerOptions) {
    this.#options = options;
    this.#text = new TextForm(options);
  }

  next(): Promise<string | undefined> {
    return this.#options.steps.next();
  }

  async back(): Promise<undefined> {
    if (await this.#leavesKey()) this.#options.steps.back();
    return undefined;
  }

  move(distance: -1 | 1): void {
    this.#change(moveFocus(this.#state, distance, this.#options.view()));
  }

  choose(distance: -1 | 1): void {
    this.#change(choose(this.#state, distance, this.#options.view()));
  }

  complete(): Promise<string | undefined> | undefined {
    const { store, steps, view } = this.#options;
    const item = focusedItem(this.#state, view());
    if (item?.id === "script" || item?.id === "file") return steps.complete();
    store.update(moveFocus(this.#state, 1, view()));
    return undefined;
  }

  scroll(direction: -1 | 1): void {
    const { store, view, size } = this.#options;
    const rows = direction * Math.max(1, size().rows - 4);
    const last = lastScroll(this.#state, size(), view());
    store.update({ scroll: Math.max(0, Math.min(last, this.#state.scroll + rows)) });
  }

  editText(): Promise<string | undefined> {
    return this.#text.edit();
  }

  saveDraft(): Promise<string> {
    return this.#options.draft.save();
  }

  async otherDraft(): Promise<string | undefined> {
    const { draft, reader } = this.#options;
    if (!(await this.#leavesKey())) return undefined;
    const told = await draft.choose();
    reader.open();
    return told;
  }

  async startOver(): Promise<undefined> {
    const { frame, draft, store, steps } = this.#options;
    const isDone = this.#state.launch !== undefined;
    const isEmpty = Object.keys(this.#state.given).length === 0;
    if (!isDone && !isEmpty && !(await frame.confirm("Forget these answers and begin anew?"))) {
      return undefined;
    }
    if (!(await this.#leavesKey())) return undefined;
    await draft.remove();
    const { scripts, targets } = this.#state.known;
    const fresh = createDeployState();
    store.update({ ...fresh, known: { ...fresh.known, scripts, targets } });
    steps.open("script");
    return undefined;
  }

  async retry(): Promise<undefined> {
    const { reader, store, steps, launcher } = this.#options;
    if (this.#state.step !== "launch") {
      reader.retry();
      return undefined;
    }
    // The script may have been corrected meanwhile.
    store.update({ work: "reading and checking it again" });
    await reader.check();
    store.update({ work: undefined });
    if (reader.isReady) await launcher.launch();
    else steps.show("preflight");
    return undefined;
  }

  mend(): void {
    this.#options.steps.mend();
  }

  async copy(): Promise<string> {
    const { frame, cloud, launcher } = this.#options;
    const state = this.#state;
    const base = baseOf(state);
    if (state.step === "review" && base !== undefined) {
      const { looksSecret } = cloud.scripts;
      const command = commandText(state.given, { base, profile: profileOf(state), looksSecret });
      return `${await frame.copy(command)}: the command`;
    }
    const token = arrived(state.key)?.token;
    if (token !== undefined) return `${await frame.copy(token)}: the key`;
    return `${await frame.copy(launcher.callLines().join("\n"))}: how to call it`;
  }

  async test(): Promise<undefined> {
    await this.#options.launcher.test();
    return undefined;
  }

  async createKey(): Promise<undefined> {
    await this.#options.launcher.createKey();
    return undefined;
  }

  async chat(): Promise<string | undefined> {
    const found = await this.#options.launcher.app();
    if (found === undefined) return "There is no app to chat with.";
    await this.#options.chatWith(found.server, found.app, arrived(this.#state.key)?.token);
    return undefined;
  }

  rollBack(): Promise<string> {
    return this.#options.launcher.rollBack();
  }

  async editAnswers(): Promise<undefined> {
    const { frame, reader, launcher, steps } = this.#options;
    const isRunning = this.#state.launch?.state === "running";
    const question = "The launch goes on until another one takes its place. Edit the answers?";
    if (isRunning && !(await frame.confirm(question))) return undefined;
    if (!(await this.#leavesKey())) return undefined;
    reader.forget("script", "functions");
    launcher.leave();
    steps.open("found");
    return undefined;
  }

  stop(): void {
    this.#options.launcher.stop();
  }

  async showLog(): Promise<undefined> {
    await this.#options.frame.page((this.#state.launch?.log ?? []).join("\n"));
    return undefined;
  }

  get #state(): DeployState {
    return this.#options.store.get();
  }

  /** A change that may call for something to be read. */
  #change(state: DeployState): void {
    this.#options.store.update(state);
    this.#options.reader.read();
  }

  /** Whether the person leaves a key that is not shown again. */
  async #leavesKey(): Promise<boolean> {
    const { step, key } = this.#state;
    if (step !== "launch" || key.kind !== "here") return true;
    return await this.#options.frame.confirm("The key is shown this once. Leave it?");
  }
}
