// The deploy screen: the steps where there is room, and the page of the current one.

import { Box, Text } from "ink";
import { type ReactElement, use } from "react";
import type { BodySize } from "../../frame/screen.ts";
import { ClockContext } from "../../hooks/use-clock.ts";
import { useLayout } from "../../hooks/use-layout.ts";
import type { Rules } from "./answers.ts";
import type { DeployState } from "./deploy-state.ts";
import { stepsColumns } from "./page-layout.ts";
import { spokenFocus } from "./reader-lines.ts";
import { StepPage } from "./step-page.tsx";
import { StepsList } from "./steps-list.tsx";

export interface DeployBodyProps {
  readonly state: DeployState;
  readonly rules: Rules;
  readonly size: BodySize;
}

/** For screen readers the field that has the keys; the rest is in `readerLines`. */
export function DeployBody({ state, rules, size }: DeployBodyProps): ReactElement {
  const context = { rules, nowMs: use(ClockContext).now() };
  const isRead = useLayout() === "reader";
  if (isRead) return <Text>{spokenFocus(state, context)}</Text>;
  const { step, given, draftSavedAtMs } = state;
  return (
    <Box>
      {stepsColumns(size.columns) > 0 && (
        <StepsList step={step} given={given} draftSavedAtMs={draftSavedAtMs} rows={size.rows} />
      )}
      <StepPage state={state} context={context} size={size} />
    </Box>
  );
}
