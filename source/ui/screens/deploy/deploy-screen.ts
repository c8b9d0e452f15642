// The deployment of a script or a model, step by step, as a screen of the frame.

import type { Clock } from "../../../base/clock.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  PaintedScreen,
  ScreenPicture,
} from "../../frame/screen.ts";
import { fieldAfterText, fieldCommands, fieldWith } from "../../panes/text-field.ts";
import { Store } from "../../state/store.ts";
import type { Glyphs } from "../../theme.ts";
import type { CloudAccess, CloudServer } from "../cloud-access.ts";
import { type DeploySituation, deployCommands } from "./deploy-commands.ts";
import { DeployController } from "./deploy-controller.ts";
import { DeployLauncher } from "./deploy-launcher.ts";
import { deployPicture } from "./deploy-picture.ts";
import { DeployReader } from "./deploy-reader.ts";
import { createDeployState, type DeployState, targetOf } from "./deploy-state.ts";
import { DeploySteps } from "./deploy-steps.ts";
import { DraftFolder } from "./draft-folder.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import { editField, openStep } from "./form-reducer.ts";
import { focusedItem, type PageView } from "./page-of.ts";
import { spokenFooter, spokenLines } from "./spoken-deploy.ts";

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

export class DeployScreen implements PaintedScreen {
  readonly id = "deploy";
  readonly title = "Deploy";
  readonly tabNumber = 4;
  readonly #context: DeployScreenContext;
  readonly #store = new Store(createDeployState());
  readonly #reader: DeployReader;
  readonly #steps: DeploySteps;
  readonly #launcher: DeployLauncher;
  readonly #draft: DraftKeeper;
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
    const controller = new DeployController({
      ...context,
      store,
      reader,
      steps: this.#steps,
      launcher,
      draft: this.#draft,
      view: () => this.#view(),
      size: () => this.#size,
    });
    store.update(openStep(store.get(), "script", this.#view()));
    store.subscribe(() => this.#syncField());
    this.#commands = [
      ...deployCommands(controller, () => this.#situated()),
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
}
