// The current step in words, for screen readers.

import type { Spoken } from "../../frame/screen.ts";
import type { DeployState, StepId } from "./deploy-state.ts";
import { type Item, linePrefix } from "./form.ts";
import { focusedItem, isAdvanced, pageOf, stepTitle } from "./steps.ts";

/** Steps that show running checks. */
const checkedSteps: ReadonlySet<StepId> = new Set(["review", "preflight"]);

/** Only the focused field changes in place. */
export function spokenDeploy(state: DeployState): Spoken {
  const { question, items, lines, log = [] } = pageOf(state);
  const focused = focusedItem(state);
  const fields = items.filter(({ id }) => id !== focused?.id).map(spokenItem);
  const faults = Object.entries(state.faults).map(([id, fault]) => {
    const label = items.find((item) => item.id === id)?.label;
    return label === undefined ? `Error: ${fault}` : `Error in ${label}: ${fault}`;
  });
  // Lines of running work would be read out again at each change.
  const phases =
    state.step === "launch" && state.launch?.state === "running" ? state.launch.phases : undefined;
  const said =
    phases?.map(({ phase, sentence }) => `${phase}: ${sentence}`) ??
    lines
      .filter(({ sign }) => !checkedSteps.has(state.step) || sign !== "working")
      .map((line) => linePrefix(line) + line.text);
  const finished = [`${spokenStep(state)}: ${question}`, ...fields, ...faults, ...said, ...log]
    .map((text) => text.trim())
    .filter((text) => text !== "");
  return { finished, live: [focused === undefined ? spokenStep(state) : spokenFocus(focused)] };
}

/** `Access: private, … (options: private, shared, public)` */
function spokenFocus(item: Item): string {
  const said = spokenItem(item);
  if (item.kind !== "choice") return said;
  return `${said} (options: ${item.options.map(({ title }) => title).join(", ")})`;
}

function spokenStep(state: DeployState): string {
  const title = stepTitle(state);
  return isAdvanced(state.step) ? title : `Step ${title}`;
}

function spokenItem(item: Item): string {
  const { label, value } = item;
  if (item.kind === "choice") {
    const { title = value, note = "" } =
      item.options.find((option) => option.value === value) ?? {};
    return `${label}: ${title}${note && `, ${note}`}`;
  }
  const { mask, placeholder = "" } = item;
  if (value === "") return `${label}: empty${placeholder && `, ${placeholder}`}`;
  // Asterisks would be read one by one.
  return `${label}: ${mask !== undefined && mask(value) !== value ? "hidden" : value}`;
}
