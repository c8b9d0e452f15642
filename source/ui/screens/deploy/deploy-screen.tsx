// Deploys a script or a model, step by step: the screen's state, its actions and its component.

import { Box } from "ink";
import { memo, type ReactElement } from "react";
import { memoizeLast } from "../../../base/memoize-last.ts";
import { Store } from "../../../base/store.ts";
import type { CloudScreenServices } from "../../app/cloud-access.ts";
import { screenInput } from "../../frame/command-table.ts";
import type { BodySize, Screen } from "../../frame/screen.ts";
import { useStore } from "../../hooks/use-store.ts";
import { deployCommands } from "./deploy-commands.ts";
import { DeployLoader } from "./deploy-loader.ts";
import { spokenDeploy } from "./deploy-speech.ts";
import { createDeployState, type DeployState, targetOf } from "./deploy-state.ts";
import { DraftActions } from "./draft-actions.ts";
import { editField, openStep } from "./form-reducer.ts";
import { LaunchActions } from "./launch-actions.ts";
import { stepsColumns } from "./page-rows.tsx";
import { type DeployContext, deployModel } from "./step-actions.ts";
import { StepPage } from "./step-page.tsx";
import { focusedItem } from "./steps.ts";
import { StepsList } from "./steps-list.tsx";

export function deployScreen(given: CloudScreenServices): Screen {
  const store = new Store(openStep(createDeployState(given.cloud.scripts), "script"));
  const services = { ...given, store, folder: process.cwd() };
  const loader = new DeployLoader(services);
  const drafts = new DraftActions(services);
  const launch = new LaunchActions(services, loader, drafts);
  // Every command asks for it.
  const focused = memoizeLast(focusedItem);
  const context: DeployContext = {
    ...services,
    loader,
    drafts,
    launch,
    get state() {
      return store.get();
    },
    get item() {
      return focused(store.get());
    },
  };
  let resuming: Promise<void> | undefined;
  return {
    id: "deploy",
    title: "Deploy",
    Body: memo(function DeployScreenBody(size: BodySize): ReactElement {
      return <DeployBody state={useStore(store, (whole) => whole)} size={size} />;
    }),
    ...screenInput(deployCommands, context, {
      isTyping: () => context.item?.kind === "text",
      edit: (change) => store.update(editField(store.get(), change)),
    }),
    status: () => {
      const state = store.get();
      if (state.launch?.state !== "running") return targetOf(state)?.place ?? "";
      return `launching ${state.given.name ?? ""}`.trim();
    },
    spoken: () => spokenDeploy(store.get()),
    /** Starts with a local model. */
    accept: (model) => deployModel(context, model),
    subscribe: store.subscribe,
    activate: () => {
      resuming ??= drafts.resume().then(() => loader.read());
    },
    // A launch continues while another screen is shown.
    deactivate: () => {},
    close: async () => {
      loader.close();
      launch.stop();
      await resuming;
      await drafts.save();
    },
  };
}

/** Draws the list of steps if it fits, and the current page. */
export function DeployBody({ state, size }: { state: DeployState; size: BodySize }): ReactElement {
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
