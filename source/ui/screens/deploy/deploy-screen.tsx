// Deploys a script or a model, step by step: the screen's state, its actions and its component.

import { memo, type ReactElement } from "react";
import { fieldAfterText, fieldCommands } from "../../editor/line-field.ts";
import type { BodySize, BoundCommand, Screen } from "../../frame/screen.ts";
import { useStore } from "../../hooks/use-store.ts";
import { Store } from "../../state/store.ts";
import { DeployBody } from "./deploy-body.tsx";
import { type DeployActions, type DeploySituation, deployCommands } from "./deploy-commands.ts";
import type { DeployContext, DeployServices } from "./deploy-context.ts";
import { DeployLoader } from "./deploy-loader.ts";
import { createDeployState, type DeployState, targetOf } from "./deploy-state.ts";
import { DraftActions } from "./draft-actions.ts";
import { openStep } from "./form-reducer.ts";
import { LaunchActions } from "./launch-actions.ts";
import { focusedItem } from "./pages.ts";
import { readerLines } from "./reader-lines.ts";
import { StepActions } from "./step-actions.ts";
import { TextActions } from "./text-actions.ts";

export interface DeployScreenContext extends DeployServices {
  /** Start of relative paths. Defaults to the working folder of the process. */
  readonly folder?: string;
}

export class DeployScreen implements Screen {
  readonly id = "deploy";
  readonly title = "Deploy";
  readonly tabNumber = 4;
  readonly Body: Screen["Body"];
  readonly #context: DeployContext;
  readonly #store: Store<DeployState>;
  readonly #loader: DeployLoader;
  readonly #actions: DeployActions;
  readonly #commands: readonly BoundCommand[];
  #situation: DeploySituation | undefined;
  #resuming: Promise<void> | undefined;

  constructor({ folder = process.cwd(), ...services }: DeployScreenContext) {
    const { cloud, clock } = services;
    const rules = cloud.scripts;
    const page = () => ({ rules, nowMs: clock.now() });
    const store = new Store(openStep(createDeployState(), "script", page()));
    const context = { ...services, store, folder, page };
    const loader = new DeployLoader(context);
    const drafts = new DraftActions(context);
    const launch = new LaunchActions(context, loader, drafts);
    const steps = new StepActions(context, { loader, drafts, launch });
    this.#context = context;
    this.#store = store;
    this.#loader = loader;
    this.#actions = { steps, launch, drafts, text: new TextActions(context, steps) };
    this.#commands = [
      ...deployCommands(this.#actions, () => this.#situated()),
      ...fieldCommands(
        () => this.isTyping(),
        (change) => steps.edit(change),
      ),
    ];
    this.Body = memo(function DeployScreenBody(size: BodySize): ReactElement {
      return <DeployBody state={useStore(store, whole)} rules={rules} size={size} />;
    });
  }

  commands(): readonly BoundCommand[] {
    return this.#commands;
  }

  status(): string {
    const { launch, given } = this.#store.get();
    if (launch?.state === "running") return `launching ${given.name ?? ""}`.trim();
    return targetOf(this.#store.get())?.place ?? "";
  }

  isTyping(): boolean {
    return this.#situated().item?.kind === "text";
  }

  type(text: string): void {
    this.#actions.steps.edit((field) => fieldAfterText(field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  readerLines(): readonly string[] {
    return readerLines(this.#store.get(), this.#context.page(), this.#context.glyphs);
  }

  /** @param model one of this machine, to deploy */
  accept(model: string): void {
    this.#actions.steps.deployModel(model);
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
    this.#loader.close();
    this.#actions.launch.close();
    await this.#resuming;
    await this.#actions.drafts.save();
  }

  /** Worked out once for each state: every command asks for it. */
  #situated(): DeploySituation {
    const state = this.#store.get();
    if (this.#situation?.state !== state) {
      this.#situation = { state, item: focusedItem(state, this.#context.page()) };
    }
    return this.#situation;
  }

  async #resume(): Promise<void> {
    await this.#actions.drafts.resume();
    this.#loader.read();
  }
}

function whole(state: DeployState): DeployState {
  return state;
}
