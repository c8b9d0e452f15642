// Panel of the steps: done, current and later ones; the script, and when the draft was saved.

import { memo, type ReactElement } from "react";
import { formatLocalTime } from "../../../base/local-time.ts";
import { Line } from "../../components/line.tsx";
import { Panel, panelInnerWidth } from "../../components/panel.tsx";
import { TextLine } from "../../components/text-line.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { isEphemeral, referenceOf, scriptOf } from "./answers.ts";
import type { DeployState } from "./deploy-state.ts";
import { stepsWidth } from "./page-layout.ts";
import { stepsOf } from "./steps.ts";

export interface StepsListProps extends Pick<DeployState, "step" | "given" | "draftSavedAtMs"> {
  readonly rows: number;
}

export const StepsList = memo(function StepsList(props: StepsListProps): ReactElement {
  const { step, given, draftSavedAtMs, rows } = props;
  const steps = stepsOf(isEphemeral(given));
  const current = steps.findIndex(({ id }) => id === step);
  // Its folders have no room here.
  const script = scriptOf(given) === "" ? "" : (referenceOf(given).split("/").at(-1) ?? "");
  const width = panelInnerWidth(stepsWidth);
  return (
    <Panel width={stepsWidth} height={rows} title="Deploy">
      {steps.map(({ id, title }, index) => (
        <Step
          key={id}
          label={`${String(index + 1).padStart(2)} ${title}`}
          place={index - current}
        />
      ))}
      <Line runs={[]} />
      {script !== "" && <TextLine text={script} tone="dim" width={width} />}
      {draftSavedAtMs !== undefined && (
        <>
          <TextLine text="draft saved" tone="dim" width={width} />
          <TextLine text={timeOf(draftSavedAtMs)} tone="dim" width={width} />
        </>
      )}
    </Panel>
  );
});

/** @param place negative: done; 0: the current step */
function Step({ label, place }: { label: string; place: number }): ReactElement {
  const { glyphs } = useLook();
  if (place === 0) return <Line runs={[{ text: `${glyphs.marker} ${label}`, tone: "title" }]} />;
  const isDone = place < 0;
  return (
    <Line
      runs={[
        { text: isDone ? `${glyphs.done} ` : "  ", tone: "good" },
        { text: label, tone: isDone ? "plain" : "dim" },
      ]}
    />
  );
}

/** `14:03:59`. */
function timeOf(wallMs: number): string {
  return formatLocalTime(new Date(wallMs)).slice(11, 19);
}
