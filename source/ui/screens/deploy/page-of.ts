// What the step in sight shows and asks.

import type { Glyphs } from "../../theme.ts";
import type { Rules } from "./answers.ts";
import { isEphemeral } from "./answers.ts";
import type { DeployState } from "./deploy-state.ts";
import type { Item, Page } from "./form.ts";
import { accessPage, namePage, wherePage } from "./pages-of-app.ts";
import { launchPage, preflightPage, reviewPage } from "./pages-of-launch.ts";
import { foundPage, modePage, scriptPage } from "./pages-of-script.ts";
import { resourcesPage, scalingPage, timeoutsPage, variablesPage } from "./pages-of-settings.ts";
import { stepsOf } from "./steps.ts";

export interface PageView {
  readonly rules: Rules;
  readonly glyphs: Glyphs;
  /** Of a clock that never goes back. */
  readonly nowMs: number;
}

export function pageOf(state: DeployState, { rules, glyphs, nowMs }: PageView): Page {
  switch (state.step) {
    case "script":
      return scriptPage(state);
    case "found":
      return foundPage(state);
    case "mode":
      return modePage(state);
    case "name":
      return namePage(state, rules, glyphs);
    case "where":
      return wherePage(state);
    case "access":
      return accessPage(state);
    case "variables":
      return variablesPage(state, rules);
    case "resources":
      return resourcesPage(state, rules);
    case "scaling":
      return scalingPage(state, rules);
    case "timeouts":
      return timeoutsPage(state);
    case "preflight":
      return preflightPage(state, glyphs);
    case "review":
      return reviewPage(state, rules);
    case "launch":
      return launchPage(state, glyphs, nowMs);
  }
}

/** `3 of 13  Run or deploy`. */
export function stepTitle({ step, given }: DeployState): string {
  const list = stepsOf(isEphemeral(given));
  const at = list.findIndex(({ id }) => id === step);
  return `${at + 1} of ${list.length}  ${list[at]?.title ?? ""}`;
}

export function focusedItem(state: DeployState, view: PageView): Item | undefined {
  const { items } = pageOf(state, view);
  return items[Math.min(state.focus, items.length - 1)];
}
