// The step in sight as plain lines, for screen readers: fields and what is typed are in the footer.

import { neutraliseLine } from "../../text/neutralise.ts";
import type { DeployState } from "./deploy-state.ts";
import type { Item } from "./form.ts";
import { focusedItem, type PageView, pageOf, stepTitle } from "./page-of.ts";

export function spokenLines(state: DeployState, view: PageView): readonly string[] {
  const { question, items, lines, tail = [] } = pageOf(state, view);
  const fields = items.map((item) => `${item.label}: ${spokenValue(item)}`);
  const faults = Object.entries(state.faults).map(([id, fault]) => {
    const label = items.find((item) => item.id === id)?.label;
    return label === undefined ? `Fault: ${fault}` : `Fault in ${label}: ${fault}`;
  });
  // What runs would be read out at each change.
  const isLaunching = state.step === "launch" && state.launch?.state === "running";
  const isRunning = (lead: string) => lead.startsWith(view.glyphs.working);
  const shown =
    state.step === "preflight" ? lines.filter(({ lead = "" }) => !isRunning(lead)) : lines;
  const said = isLaunching ? phases(state) : shown.map(({ text, lead = "" }) => `${lead}${text}`);
  return [`Step ${stepTitle(state)}: ${question}`, ...fields, ...faults, ...said, ...tail]
    .map((text) => neutraliseLine(text, false).trim())
    .filter((text) => text !== "");
}

export function spokenFooter(state: DeployState, view: PageView): readonly string[] {
  const item = focusedItem(state, view);
  if (item === undefined) return [`Step ${stepTitle(state)}`];
  const others =
    item.kind === "choice" ? ` (of ${item.options.map(({ title }) => title).join(", ")})` : "";
  return [neutraliseLine(`${item.label}: ${spokenValue(item)}${others}`, false)];
}

function spokenValue(item: Item): string {
  if (item.kind === "choice") {
    const option = item.options.find(({ value }) => value === item.value);
    return [option?.title ?? item.value, option?.note ?? ""].filter((t) => t !== "").join(", ");
  }
  const { value, mask, placeholder = "" } = item;
  if (value === "") return placeholder === "" ? "empty" : `empty, ${placeholder}`;
  // A secret's stars would be read one by one.
  return mask !== undefined && mask(value) !== value ? "hidden" : value;
}

function phases({ launch }: DeployState): readonly string[] {
  return (launch?.phases ?? []).map(({ phase, sentence }) => `${phase}: ${sentence}`);
}
