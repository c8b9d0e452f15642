// Panel of the steps, the advanced steps, the script, and the time of the last saved draft.

import { memo, type ReactElement } from "react";
import { timeOfDay } from "../../../base/quantities.ts";
import { Line, TextLine } from "../../components/line.tsx";
import { Panel, panelInnerWidth } from "../../components/panel.tsx";
import { glyphs } from "../../theme.ts";
import { referenceOf, scriptOf } from "./answers.ts";
import type { DeployState, StepId } from "./deploy-state.ts";
import { stepsWidth } from "./page-rows.tsx";
import { advancedStepsOf, isAdvanced, mainIndex, mainSteps } from "./steps.ts";

export interface StepsListProps extends Pick<DeployState, "step" | "given" | "draftSavedAtMs"> {
  readonly rows: number;
}

export const StepsList = memo(function StepsList(props: StepsListProps): ReactElement {
  const { step, given, draftSavedAtMs, rows } = props;
  // Folders do not fit here.
  const script = scriptOf(given) === "" ? "" : (referenceOf(given).split("/").at(-1) ?? "");
  const width = panelInnerWidth(stepsWidth);
  const row = (id: StepId, label: string, isCurrent: boolean, isDone = false) => {
    const sign = isCurrent ? glyphs.marker : isDone ? glyphs.done : " ";
    const tone = isCurrent ? "title" : isDone ? "plain" : "dim";
    return <Line key={id} runs={[{ text: `${sign} ${label}`, tone }]} />;
  };
  const current = mainIndex(step);
  return (
    <Panel width={stepsWidth} height={rows} title="Deploy">
      {/* The review is still to come while one of its settings is open. */}
      {mainSteps.map(({ id, title }, index) =>
        row(id, `${index + 1} ${title}`, index === current && !isAdvanced(step), index < current),
      )}
      <Line runs={[]} />
      <TextLine text="Advanced" tone="dim" width={width} />
      {advancedStepsOf({ given }).map(({ id, title }) => row(id, title, id === step))}
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
