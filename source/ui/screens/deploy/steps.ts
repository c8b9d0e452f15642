// Steps of the deploy screen: three main steps, and the advanced ones behind the review.

import { isEphemeral } from "./answers.ts";
import { appPage, wherePage } from "./app-pages.ts";
import type { DeployState, Facts, StepId } from "./deploy-state.ts";
import { faultsIn, type Item, type Page } from "./form.ts";
import { launchPage } from "./launch.ts";
import { preflightPage, reviewPage } from "./review-pages.ts";
import { foundPage, modePage, scripted, scriptPage } from "./script-pages.ts";
import { resourcesPage, scalingPage, timeoutsPage, variablesPage } from "./settings-pages.ts";

export interface Step {
  readonly id: StepId;
  readonly title: string;
  /** Short description for the list of advanced steps. */
  readonly note?: string;
  readonly page: (state: DeployState) => Partial<Page> & Pick<Page, "question">;
  /** Facts that others may change: reloaded whenever the step is opened. */
  readonly reads?: readonly (keyof Facts)[];
}

/** Main steps; the last one ends with the launch. */
export const mainSteps: readonly Step[] = [
  { id: "script", title: "Source", page: scriptPage, reads: ["scripts", "models"] },
  { id: "app", title: "Name and access", page: scripted(appPage), reads: ["apps", "environments"] },
  {
    id: "review",
    title: "Review and launch",
    page: scripted((state, script) => reviewPage(state, script, wrongAnswer(state))),
    reads: ["checked", "app", "environments"],
  },
];

const launchStep: Step = { id: "launch", title: "Launch", page: launchPage };

/** Optional steps; each returns to the review. Unanswered settings keep the script's values. */
const advancedSteps: readonly Step[] = [
  { id: "found", title: "Inspection", note: "findings in the script", page: scripted(foundPage) },
  { id: "mode", title: "Run or deploy", note: "permanent app or one-time run", page: modePage },
  {
    id: "where",
    title: "Server",
    note: "this machine or another server",
    page: wherePage,
    reads: ["apps", "capacity"],
  },
  {
    id: "variables",
    title: "Variables",
    note: "environment and stored secrets",
    page: scripted(variablesPage),
    reads: ["secrets"],
  },
  {
    id: "resources",
    title: "Resources",
    note: "machine type, GPUs, packages",
    page: scripted(resourcesPage),
    reads: ["apps", "capacity"],
  },
  { id: "scaling", title: "Scaling", note: "replicas and idle time", page: scripted(scalingPage) },
  {
    id: "timeouts",
    title: "Timeouts",
    note: "start, request, drain",
    page: scripted(timeoutsPage),
  },
  { id: "preflight", title: "Checks", note: "every check and its result", page: preflightPage },
];

export const steps: readonly Step[] = [...mainSteps, ...advancedSteps, launchStep];

/** Returns the advanced steps; a one-time run has one replica, so no scaling. */
export function advancedStepsOf({ given }: Pick<DeployState, "given">): readonly Step[] {
  return isEphemeral(given) ? advancedSteps.filter(({ id }) => id !== "scaling") : advancedSteps;
}

export function isAdvanced(step: StepId): boolean {
  return advancedSteps.some(({ id }) => id === step);
}

/** Returns the index of the main step that a step belongs to. */
export function mainIndex(step: StepId): number {
  const at = mainSteps.findIndex(({ id }) => id === step);
  return at === -1 ? mainSteps.length - 1 : at;
}

/** Returns the first invalid answer, since steps can be skipped. Undefined until the script is read. */
export function wrongAnswer(
  state: DeployState,
): { readonly step: StepId; readonly sentence: string } | undefined {
  if (state.known.script?.kind !== "loaded") return undefined;
  for (const { id, title, page } of [...mainSteps.slice(0, 2), ...advancedStepsOf(state)]) {
    if (id === "preflight") continue;
    const { items = [], fault } = page(state);
    const [field, found = fault] = Object.entries(faultsIn(items))[0] ?? [];
    const label = items.find((item) => item.id === field)?.label;
    const place = label === undefined || label === title ? title : `${title}, ${label}`;
    if (found !== undefined) return { step: id, sentence: `${place}: ${found}` };
  }
  return undefined;
}

/** Returns the content and questions of the step. */
export function pageOf(state: DeployState): Page {
  const step = steps.find(({ id }) => id === state.step);
  return { question: "", items: [], lines: [], ...step?.page(state) };
}

/** Returns the focused field. */
export function focusedItem(state: DeployState): Item | undefined {
  const { items } = pageOf(state);
  return items[Math.min(state.focus, items.length - 1)];
}

/** `2 of 3  Name and access`, or `Advanced  Scaling`. */
export function stepTitle({ step }: Pick<DeployState, "step">): string {
  const title = steps.find(({ id }) => id === step)?.title ?? "";
  const place = isAdvanced(step) ? "Advanced" : `${mainIndex(step) + 1} of ${mainSteps.length}`;
  return `${place}  ${title}`;
}

/** Returns the next or previous step; undefined beyond either end. */
export function adjacentStep(step: StepId, distance: -1 | 1): StepId | undefined {
  if (isAdvanced(step)) return "review";
  const way = [...mainSteps, launchStep];
  return way[way.findIndex(({ id }) => id === step) + distance]?.id;
}

/** Returns the step that a draft resumes at: checks and launches resume at the review. */
export function resumedStep(text: string): StepId {
  const step = steps.find(({ id }) => id === text)?.id ?? "script";
  return step === "launch" || step === "preflight" ? "review" : step;
}
