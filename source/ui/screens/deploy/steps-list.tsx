// Panel of the steps, the advanced steps, the script, and the time of the last saved draft.

import { memo, type ReactElement } from "react";
import { Line, TextLine } from "../../components/line.tsx";
import { Panel, panelInnerWidth } from "../../components/panel.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { timeOfDay } from "../../text/quantities.ts";
import { referenceOf, scriptOf } from "./answers.ts";
import type { DeployState } from "./deploy-state.ts";
import { stepsWidth } from "./page-layout.ts";
import { advancedStepsOf, isAdvanced, mainIndex, mainSteps } from "./steps.ts";

export interface StepsListProps extends Pick<DeployState, "step" | "given" | "draftSavedAtMs"> {
  readonly rows: number;
}

export const StepsList = memo(function StepsList(props: StepsListProps): ReactElement {
  const { step, given, draftSavedAtMs, rows } = props;
  const current = mainIndex(step);
  // Folders do not fit here.
  const script = scriptOf(given) === "" ? "" : (referenceOf(given).split("/").at(-1) ?? "");
  const width = panelInnerWidth(stepsWidth);
  return (
    <Panel width={stepsWidth} height={rows} title="Deploy">
      {mainSteps.map(({ id, title }, index) => (
        <Step
          key={id}
          label={`${index + 1} ${title}`}
          state={stateOf(index - current, isAdvanced(step))}
        />
      ))}
      <Line runs={[]} />
      <TextLine text="Advanced" tone="dim" width={width} />
      {advancedStepsOf({ given }).map(({ id, title }) => (
        <Step key={id} label={title} state={id === step ? "current" : "later"} />
      ))}
      <Line runs={[]} />
      {script !== "" && <TextLine text={script} tone="dim" width={width} />}
      {draftSavedAtMs !== undefined && (
        <>
          <TextLine text="draft saved" tone="dim" width={width} />
          <TextLine text={timeOfDay(draftSavedAtMs)} tone="dim" width={width} />
        </>
      )}
    </Panel>
  );
});

type StepState = "done" | "current" | "later";

/** @param distance from the current step. The review is later while one of its settings is open. */
function stateOf(distance: number, isInAdvanced: boolean): StepState {
  if (distance < 0) return "done";
  return distance === 0 && !isInAdvanced ? "current" : "later";
}

function Step({ label, state }: { label: string; state: StepState }): ReactElement {
  const { glyphs } = useLook();
  if (state === "current") {
    return <Line runs={[{ text: `${glyphs.marker} ${label}`, tone: "title" }]} />;
  }
  const isDone = state === "done";
  return (
    <Line
      runs={[
        { text: isDone ? `${glyphs.done} ` : "  ", tone: "plain" },
        { text: label, tone: isDone ? "plain" : "dim" },
      ]}
    />
  );
}
