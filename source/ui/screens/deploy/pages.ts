// Picks what the current step shows and asks.

import { accessPage, namePage, wherePage } from "./app-pages.ts";
import type { DeployState, PageContext } from "./deploy-state.ts";
import type { Item, Page } from "./form.ts";
import { launchPage } from "./launch-page.ts";
import { preflightPage, reviewPage } from "./review-pages.ts";
import { foundPage, modePage, scriptPage } from "./script-pages.ts";
import { resourcesPage, scalingPage, timeoutsPage, variablesPage } from "./settings-pages.ts";
import type { StepId } from "./steps.ts";

const pages: Readonly<Record<StepId, (state: DeployState, context: PageContext) => Page>> = {
  script: scriptPage,
  found: foundPage,
  mode: modePage,
  name: namePage,
  where: wherePage,
  access: accessPage,
  variables: variablesPage,
  resources: resourcesPage,
  scaling: scalingPage,
  timeouts: timeoutsPage,
  preflight: preflightPage,
  review: reviewPage,
  launch: launchPage,
};

export function pageOf(state: DeployState, context: PageContext): Page {
  return pages[state.step](state, context);
}

/** The field that has the keys. */
export function focusedItem(state: DeployState, context: PageContext): Item | undefined {
  const { items } = pageOf(state, context);
  return items[Math.min(state.focus, items.length - 1)];
}
