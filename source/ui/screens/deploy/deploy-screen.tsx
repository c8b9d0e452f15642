// Deploys a script or a model, step by step: the screen's state, its actions and its component.

import { Box, Text } from "ink";
import { memo, type ReactElement } from "react";
import { fieldAfterText } from "../../editor/line-field.ts";
import { fieldCommands } from "../../frame/field-commands.ts";
import type { BodySize, BoundCommand, Screen } from "../../frame/screen.ts";
import { Store } from "../../hooks/store.ts";
import { useLayout } from "../../hooks/use-layout.ts";
import { useStore } from "../../hooks/use-store.ts";
import type { Glyphs } from "../../theme.ts";
import { TextActions } from "./answers-text.ts";
import { type DeployActions, type DeploySituation, deployCommands } from "./deploy-commands.ts";
import { DeployLoader } from "./deploy-loader.ts";
import {
  createDeployState,
  type DeployServices,
  type DeployState,
  targetOf,
} from "./deploy-state.ts";
import { DraftActions } from "./draft-actions.ts";
import { openStep } from "./form-reducer.ts";
import { LaunchActions } from "./launch-actions.ts";
import { stepsColumns } from "./page-layout.ts";
import { readerLines, spokenFocus } from "./reader-lines.ts";
import { StepActions } from "./step-actions.ts";
import { StepPage } from "./step-page.tsx";
import { focusedItem } from "./steps.ts";
import { StepsList } from "./steps-list.tsx";

export class DeployScreen implements Screen {
  readonly id = "deploy";
  readonly title = "Deploy";
  readonly tabNumber = 4;
  readonly Body: Screen["Body"];
  readonly #glyphs: Glyphs;
  readonly #store: Store<DeployState>;
  readonly #loader: DeployLoader;
  readonly #actions: DeployActions;
  readonly #commands: readonly BoundCommand[];
  #situation: DeploySituation | undefined;
  #resuming: Promise<void> | undefined;

  constructor({ folder = process.cwd(), ...services }: DeployServices) {
    const store = new Store(openStep(createDeployState(services.cloud.scripts), "script"));
    const context = { ...services, store, folder };
    const loader = new DeployLoader(context);
    const drafts = new DraftActions(context);
    const launch = new LaunchActions(context, loader, drafts);
    const steps = new StepActions(context, { loader, drafts, launch });
    this.#glyphs = services.glyphs;
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
      return <DeployBody state={useStore(store, (whole) => whole)} size={size} />;
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
    return readerLines(this.#store.get(), this.#glyphs);
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
      this.#situation = { state, item: focusedItem(state) };
    }
    return this.#situation;
  }

  async #resume(): Promise<void> {
    await this.#actions.drafts.resume();
    this.#loader.read();
  }
}

/** The steps where there is room, and the page of the current one. For screen readers the field that has the keys; the rest is in `readerLines`. */
export function DeployBody({ state, size }: { state: DeployState; size: BodySize }): ReactElement {
  const isRead = useLayout() === "reader";
  if (isRead) return <Text>{spokenFocus(state)}</Text>;
  const { step, given, draftSavedAtMs } = state;
  return (
    <Box>
      {stepsColumns(size.columns) > 0 && (
        <StepsList step={step} given={given} draftSavedAtMs={draftSavedAtMs} rows={size.rows} />
      )}
      <StepPage state={state} size={size} />
    </Box>
  );
}
