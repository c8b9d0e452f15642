// Steps of the deploy screen, in their order.

export const steps = [
  { id: "script", title: "Script" },
  { id: "found", title: "Inspection" },
  { id: "mode", title: "Run or deploy" },
  { id: "name", title: "Name" },
  { id: "where", title: "Where" },
  { id: "access", title: "Access" },
  { id: "variables", title: "Variables" },
  { id: "resources", title: "Resources" },
  { id: "scaling", title: "Scaling" },
  { id: "timeouts", title: "Timeouts" },
  { id: "preflight", title: "Preflight" },
  { id: "review", title: "Review" },
  { id: "launch", title: "Launch" },
] as const;

export type StepId = (typeof steps)[number]["id"];

export interface Step {
  readonly id: StepId;
  readonly title: string;
}

/** An app that is run once has one replica, so nothing is asked about its scaling. */
export function stepsOf(isEphemeral: boolean): readonly Step[] {
  return isEphemeral ? steps.filter(({ id }) => id !== "scaling") : steps;
}

/** `3 of 13  Run or deploy`. */
export function stepTitle(step: StepId, isEphemeral: boolean): string {
  const list = stepsOf(isEphemeral);
  const at = list.findIndex(({ id }) => id === step);
  return `${at + 1} of ${list.length}  ${list[at]?.title ?? ""}`;
}

/** The step so many places away; undefined beyond either end. */
export function stepBeside(
  step: StepId,
  distance: -1 | 1,
  isEphemeral: boolean,
): StepId | undefined {
  const list = stepsOf(isEphemeral);
  return list[list.findIndex(({ id }) => id === step) + distance]?.id;
}

/** The step that a draft goes on with: what the later ones have read is read again. */
export function resumedStep(text: string): StepId {
  const at = steps.findIndex(({ id }) => id === text);
  const last = steps.findIndex(({ id }) => id === "timeouts");
  return steps[Math.max(0, Math.min(at, last))]?.id ?? "script";
}
