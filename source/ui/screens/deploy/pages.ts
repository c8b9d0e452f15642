// Picks what the current step shows and asks.

import type { Rules } from "./answers.ts";
import { accessPage, namePage, wherePage } from "./app-pages.ts";
import type { DeployState } from "./deploy-state.ts";
import type { Item, Page } from "./form.ts";
import { launchPage } from "./launch-page.ts";
import { preflightPage, reviewPage } from "./review-pages.ts";
import { foundPage, modePage, scriptPage } from "./script-pages.ts";
import { resourcesPage, scalingPage, timeoutsPage, variablesPage } from "./settings-pages.ts";

/** What pages need beside the state. */
export interface PageContext {
  readonly rules: Rules;
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: number;
}

export function pageOf(state: DeployState, { rules, nowMs }: PageContext): Page {
  switch (state.step) {
    case "script":
      return scriptPage(state);
    case "found":
      return foundPage(state);
    case "mode":
      return modePage(state);
    case "name":
      return namePage(state, rules);
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
      return preflightPage(state);
    case "review":
      return reviewPage(state, rules);
    case "launch":
      return launchPage(state, nowMs);
  }
}

/** The field that has the keys. */
export function focusedItem(state: DeployState, context: PageContext): Item | undefined {
  const { items } = pageOf(state, context);
  return items[Math.min(state.focus, items.length - 1)];
}
