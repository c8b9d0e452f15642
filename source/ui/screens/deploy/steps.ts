// The steps of the deploy screen in their order: titles, pages, and the facts that each of them shows.

import { isEphemeral } from "./answers.ts";
import { accessPage, namePage, wherePage } from "./app-pages.ts";
import type { DeployState, Known, StepId } from "./deploy-state.ts";
import type { Item, Page } from "./form.ts";
import { launchPage } from "./launch-page.ts";
import { preflightPage, reviewPage } from "./review-pages.ts";
import { foundPage, modePage, scriptPage } from "./script-pages.ts";
import { resourcesPage, scalingPage, timeoutsPage, variablesPage } from "./settings-pages.ts";

export interface Step {
  readonly id: StepId;
  readonly title: string;
  readonly page: (state: DeployState) => Partial<Page> & Pick<Page, "question">;
  /** Facts that others may change: they are read anew whenever the step is opened. */
  readonly reads?: readonly (keyof Known)[];
}

export const steps: readonly Step[] = [
  { id: "script", title: "Script", page: scriptPage, reads: ["scripts", "models"] },
  { id: "found", title: "Inspection", page: foundPage },
  { id: "mode", title: "Run or deploy", page: modePage },
  { id: "name", title: "Name", page: namePage, reads: ["apps"] },
  { id: "where", title: "Where", page: wherePage, reads: ["apps", "capacity"] },
  { id: "access", title: "Access", page: accessPage },
  { id: "variables", title: "Variables", page: variablesPage, reads: ["secrets"] },
  { id: "resources", title: "Resources", page: resourcesPage, reads: ["apps", "capacity"] },
  { id: "scaling", title: "Scaling", page: scalingPage },
  { id: "timeouts", title: "Timeouts", page: timeoutsPage },
  { id: "preflight", title: "Preflight", page: preflightPage },
  { id: "review", title: "Review", page: reviewPage, reads: ["app"] },
  { id: "launch", title: "Launch", page: launchPage },
];

/** An app that is run once has one replica, so nothing is asked about its scaling. */
export function stepsOf(isEphemeral: boolean): readonly Step[] {
  return isEphemeral ? steps.filter(({ id }) => id !== "scaling") : steps;
}

/** What the step shows and asks. */
export function pageOf(state: DeployState): Page {
  const step = steps.find(({ id }) => id === state.step);
  return { question: "", items: [], lines: [], ...step?.page(state) };
}

/** The field that has the keys. */
export function focusedItem(state: DeployState): Item | undefined {
  const { items } = pageOf(state);
  return items[Math.min(state.focus, items.length - 1)];
}

/** `3 of 13  Run or deploy`. */
export function stepTitle({ step, given }: DeployState): string {
  const list = stepsOf(isEphemeral(given));
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
