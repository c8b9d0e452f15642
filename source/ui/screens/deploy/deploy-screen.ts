// The deployment of a script or a model, step by step, as a screen of the frame.

import type { Clock } from "../../../base/clock.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  Screen,
  ScreenPicture,
} from "../../frame/screen.ts";
import { fieldAfterText, fieldCommands, fieldWith } from "../../panes/text-field.ts";
import { Store } from "../../state/store.ts";
import type { Glyphs } from "../../theme.ts";
import type { CloudAccess, CloudServer } from "../cloud-access.ts";
import { arrived } from "./asked.ts";
import { commandText } from "./command-text.ts";
import { type DeploySituation, deployCommands } from "./deploy-commands.ts";
import { DeployLauncher } from "./deploy-launcher.ts";
import { deployPicture, lastScroll } from "./deploy-picture.ts";
import { DeployReader } from "./deploy-reader.ts";
import {
  baseOf,
  createDeployState,
  type DeployState,
  profileOf,
  targetOf,
} from "./deploy-state.ts";
import { DeploySteps } from "./deploy-steps.ts";
import { DraftFolder } from "./draft-folder.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import { choose, editField, moveFocus, openStep } from "./form-reducer.ts";
import { focusedItem, type PageView } from "./page-of.ts";
import { spokenFooter, spokenLines } from "./spoken-deploy.ts";
import { TextForm } from "./text-form.ts";

export interface DeployScreenContext {
  readonly cloud: CloudAccess;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
  /** Opens the chat screen on a deployment. @param token undefined: one that fits is found or made */
  readonly chatWith: (server: CloudServer, app: AppDocument, token?: string) => Promise<void>;
  /** What relative paths start from. Defaults to the process's own. */
  readonly folder?: string;
}

export class DeployScreen implements Screen {
  readonly id = "deploy";
  readonly title = "Deploy";
  readonly tabNumber = 4;
  readonly #context: DeployScreenContext;
  readonly #store = new Store(createDeployState());
  readonly #reader: DeployReader;
  readonly #steps: DeploySteps;
  readonly #launcher: DeployLauncher;
  readonly #draft: DraftKeeper;
  readonly #text: TextForm;
  readonly #commands: readonly BoundCommand[];
  #situation: DeploySituation | undefined;
  #size: BodySize = { columns: 80, rows: 22 };
  #resuming: Promise<void> | undefined;

  constructor(context: DeployScreenContext) {
    const { cloud, clock, frame, folder = process.cwd() } = context;
    const store = this.#store;
    const { scripts } = cloud;
    this.#context = context;
    const reader = new DeployReader({ cloud, store, folder });
    const onLive = () => void this.#draft.remove();
    const launcher = new DeployLauncher({ store, reader, clock, onLive });
    this.#reader = reader;
    this.#launcher = launcher;
    const drafts = new DraftFolder(cloud.stateFolder, scripts.looksSecret);
    this.#draft = new DraftKeeper({ store, drafts, frame, clock, view: () => this.#view() });
    this.#steps = new DeploySteps({
      store,
      reader,
      scripts,
      frame,
      folder,
      view: () => this.#view(),
      onStep: () => void this.#draft.save(),
      launch: () => void launcher.launch(),
    });
    this.#text = new TextForm({ store, frame, steps: this.#steps, view: () => this.#view() });
    store.update(openStep(store.get(), "script", this.#view()));
    store.subscribe(() => this.#syncField());
    this.#commands = [
      ...deployCommands(this.#actions(), () => this.#situated()),
      ...fieldCommands(
        () => this.isTyping(),
        (edit) => this.#edit(edit),
      ),
    ];
  }

  commands(): readonly BoundCommand[] {
    return this.#commands;
  }

  picture(size: BodySize): ScreenPicture {
    this.#size = size;
    return deployPicture(this.#state, size, this.#view());
  }

  status(): string {
    const { launch, given } = this.#state;
    if (launch?.state === "running") return `launching ${given.name ?? ""}`.trim();
    return targetOf(this.#state)?.place ?? "";
  }

  isTyping(): boolean {
    return this.#situated().item?.kind === "text";
  }

  type(text: string): void {
    this.#edit((field) => fieldAfterText(field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  readerLines(): readonly string[] {
    return spokenLines(this.#state, this.#view());
  }

  readerFooter(): readonly string[] {
    return spokenFooter(this.#state, this.#view());
  }

  /** @param model one of this machine, to deploy */
  accept(model: string): void {
    const { given, step, launch } = this.#state;
    if (launch?.state === "running") return;
    const changed = {
      ...this.#state,
      launch: undefined,
      given: { ...given, source: "model", model },
    };
    this.#store.update(openStep(changed, step === "launch" ? "script" : step, this.#view()));
    this.#steps.open("script");
  }

  subscribe(listener: () => void): () => void {
    return this.#store.subscribe(listener);
  }

  activate(): void {
    this.#resuming ??= this.#resume();
  }

  /** A launch goes on while another screen is in sight. */
  deactivate(): void {}

  async close(): Promise<void> {
    this.#reader.close();
    this.#launcher.close();
    await this.#resuming;
    await this.#draft.save();
  }

  get #state(): DeployState {
    return this.#store.get();
  }

  #view(): PageView {
    const { cloud, glyphs, clock } = this.#context;
    return { rules: cloud.scripts, glyphs, nowMs: clock.now() };
  }

  /** Worked out once for each state: every command asks for it. */
  #situated(): DeploySituation {
    const state = this.#state;
    if (this.#situation?.state !== state) {
      this.#situation = { state, item: focusedItem(state, this.#view()) };
    }
    return this.#situation;
  }

  async #resume(): Promise<void> {
    await this.#draft.resume();
    this.#reader.read();
  }

  /** What was read may have changed the field that one types in: a name was suggested, say. */
  #syncField(): void {
    const { item, state } = this.#situated();
    const text = item?.kind === "text" ? item.value : "";
    if (item?.kind !== "text" || state.editor.text === text) return;
    this.#store.update({ editor: fieldWith(state.editor, text) });
  }

  #edit(edit: Parameters<typeof editField>[1]): void {
    this.#store.update(editField(this.#state, edit, this.#view()));
  }

  #actions(): Parameters<typeof deployCommands>[0] {
    const steps = this.#steps;
    const launcher = this.#launcher;
    return {
      next: () => steps.next(),
      back: () => this.#back(),
      move: (distance) => this.#change(moveFocus(this.#state, distance, this.#view())),
      choose: (distance) => this.#change(choose(this.#state, distance, this.#view())),
      complete: () => this.#completeOrMove(),
      scroll: (direction) => this.#scroll(direction * Math.max(1, this.#size.rows - 4)),
      editText: () => this.#text.edit(),
      saveDraft: () => this.#draft.save(),
      otherDraft: () => this.#otherDraft(),
      startOver: () => this.#startOver(),
      retry: () => this.#retry(),
      mend: () => steps.mend(),
      copy: () => this.#copy(),
      test: async () => {
        await launcher.test();
        return undefined;
      },
      createKey: async () => {
        await launcher.createKey();
        return undefined;
      },
      chat: () => this.#chat(),
      rollBack: () => launcher.rollBack(),
      editAnswers: () => this.#editAnswers(),
      stop: () => launcher.stop(),
      showLog: async () => {
        await this.#context.frame.page((this.#state.launch?.log ?? []).join("\n"));
        return undefined;
      },
    };
  }

  /** A change that may call for something to be read. */
  #change(state: DeployState): void {
    this.#store.update(state);
    this.#reader.read();
  }

  async #back(): Promise<undefined> {
    if (await this.#leavesKey()) this.#steps.back();
    return undefined;
  }

  #completeOrMove(): Promise<string | undefined> | undefined {
    const { item } = this.#situated();
    if (item?.id === "script" || item?.id === "file") return this.#steps.complete();
    this.#store.update(moveFocus(this.#state, 1, this.#view()));
    return undefined;
  }

  #scroll(rows: number): void {
    const last = lastScroll(this.#state, this.#size, this.#view());
    const scroll = Math.max(0, Math.min(last, this.#state.scroll + rows));
    this.#store.update({ scroll });
  }

  async #startOver(): Promise<undefined> {
    const { frame } = this.#context;
    const isDone = this.#state.launch !== undefined;
    const isEmpty = Object.keys(this.#state.given).length === 0;
    if (!isDone && !isEmpty && !(await frame.confirm("Forget these answers and begin anew?"))) {
      return undefined;
    }
    if (!(await this.#leavesKey())) return undefined;
    await this.#draft.remove();
    const { known } = this.#state;
    const fresh = createDeployState();
    const { scripts, targets } = known;
    this.#store.update({ ...fresh, known: { ...fresh.known, scripts, targets } });
    this.#steps.open("script");
    return undefined;
  }

  async #otherDraft(): Promise<string | undefined> {
    if (!(await this.#leavesKey())) return undefined;
    const told = await this.#draft.choose();
    this.#reader.open();
    return told;
  }

  async #retry(): Promise<undefined> {
    if (this.#state.step !== "launch") {
      this.#reader.retry();
      return undefined;
    }
    // The script may have been corrected meanwhile.
    this.#store.update({ work: "reading and checking it again" });
    await this.#reader.check();
    this.#store.update({ work: undefined });
    if (this.#reader.isReady) await this.#launcher.launch();
    else this.#steps.show("preflight");
    return undefined;
  }

  async #editAnswers(): Promise<undefined> {
    const { frame } = this.#context;
    const isRunning = this.#state.launch?.state === "running";
    const question = "The launch goes on until another one takes its place. Edit the answers?";
    if (isRunning && !(await frame.confirm(question))) return undefined;
    if (!(await this.#leavesKey())) return undefined;
    this.#reader.forget("script", "functions");
    this.#launcher.leave();
    this.#steps.open("found");
    return undefined;
  }

  /** Whether the person leaves a key that is not shown again. */
  async #leavesKey(): Promise<boolean> {
    const { step, key } = this.#state;
    if (step !== "launch" || key.kind !== "here") return true;
    return await this.#context.frame.confirm("The key is shown this once. Leave it?");
  }

  async #copy(): Promise<string> {
    const { frame, cloud } = this.#context;
    const state = this.#state;
    const base = baseOf(state);
    if (state.step === "review" && base !== undefined) {
      const { looksSecret } = cloud.scripts;
      const command = commandText(state.given, { base, profile: profileOf(state), looksSecret });
      return `${await frame.copy(command)}: the command`;
    }
    const token = arrived(state.key)?.token;
    if (token !== undefined) return `${await frame.copy(token)}: the key`;
    return `${await frame.copy(this.#launcher.callLines().join("\n"))}: how to call it`;
  }

  async #chat(): Promise<string | undefined> {
    const found = await this.#launcher.app();
    if (found === undefined) return "There is no app to chat with.";
    await this.#context.chatWith(found.server, found.app, arrived(this.#state.key)?.token);
    return undefined;
  }
}
