// Pages about the app itself: its name, its access, its server.

import { formatBytes, formatMemory } from "../../../base/formats.ts";
import { plural } from "../../../base/quantities.ts";
import { loadedValue } from "../../../client/live/loadable.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import type { MachineCapacity } from "../../app/cloud-access.ts";
import { stateWord } from "../console/console-texts.ts";
import { authOf, isEphemeral } from "./answers.ts";
import { type DeployState, type ReadScript, targetOf } from "./deploy-state.ts";
import {
  blank,
  choiceItem,
  errorLine,
  fact,
  type Line,
  line,
  textItem,
  warningLine,
} from "./form.ts";
import { functionItems, summaryLines } from "./script-pages.ts";

export function appPage(state: DeployState, script: ReadScript) {
  const isRun = isEphemeral(state.given);
  const auth = authOf(state.given, script.base);
  const name = textItem("name", "Name", state.given.name, {
    placeholder: isRun ? "like the script" : "",
    note: "last part of its URL",
    fault: () => nameFault(state) ?? takenFault(state),
  });
  const access = choiceItem("auth", "Access", auth, [
    ["private", "private", "keys of this organisation"],
    ["shared", "shared", "any key of this server"],
    ["public", "public", "anyone, without a key"],
  ]);
  const warning = "Anyone who can reach the URL can use the app and its machine.";
  return {
    question: `What should the ${isRun ? "run" : "app"} be called, and who may call it?`,
    items: [...functionItems(state), name, access],
    lines: [
      ...nameLines(state),
      ...(auth === "public" ? [warningLine(warning)] : []),
      blank,
      ...summaryLines(script),
    ],
  };
}

function nameFault({ given, rules }: DeployState): string | undefined {
  const { name = "" } = given;
  if (name === "" && isEphemeral(given)) return undefined;
  const fault = rules.nameFault(name);
  if (fault === undefined) return undefined;
  const hint = name === "" ? "" : ` Try ${rules.suggestName(name)}.`;
  return `The name ${fault}.${hint}`;
}

function takenFault(state: DeployState): string | undefined {
  const existing = isEphemeral(state.given) ? namesake(state) : undefined;
  return existing && `${existing.app} already exists: a one-time run needs a new name.`;
}

/** Returns the app that already has the name. */
function namesake({ given, known }: DeployState): AppDocument | undefined {
  return loadedValue(known.apps)?.find(({ app }) => app === given.name);
}

function nameLines(state: DeployState): Line[] {
  const { apps } = state.known;
  const { name = "" } = state.given;
  // The fault is already shown below the field.
  if (state.faults.name !== undefined) return [];
  const fault = nameFault(state);
  // Shown while typing, when it helps.
  if (fault !== undefined) return [errorLine(fault)];
  if (apps?.kind === "loading") return [line("Checking which names are taken", "dim")];
  if (apps?.kind === "failed") return [warningLine(apps.sentence)];
  if (apps === undefined) return [];
  const existing = namesake(state);
  if (existing === undefined) return name === "" ? [] : [line(`${name} is available.`, "dim")];
  const { activeRevision: active } = existing;
  const revision = active ?? "no active revision";
  const created = "Deploying creates a new revision";
  const deployed =
    active === undefined ? `${created}.` : `${created}; ${active} serves until it is ready.`;
  const effect = isEphemeral(state.given) ? "A one-time run needs a new name." : deployed;
  return [line(`${name} exists: ${revision}, ${stateWord(existing.state)}.`), line(effect, "dim")];
}

export function wherePage(state: DeployState) {
  const { targets } = state.known;
  const question = "Where should it run?";
  if (targets?.kind !== "loaded") {
    const said =
      targets?.kind === "failed" ? line(targets.sentence, "error") : line("Loading servers", "dim");
    return { question, lines: [said], fault: "The servers are still loading." };
  }
  const options = targets.value.map(
    ({ profile, place, isCurrent }) =>
      [profile, place, `profile ${profile}${isCurrent ? ", current" : ""}`] as const,
  );
  const profile = targetOf(state)?.profile ?? targets.value[0]?.profile ?? "";
  const hint = [blank, line("Add a server with deployctl profile add.", "dim")];
  return {
    question,
    items: [choiceItem("profile", "Server", profile, options)],
    lines: [...capacityLines(state), ...(options.length > 1 ? [] : hint)],
  };
}

/** Describes the machine's resources and the apps it runs. */
export function capacityLines({ known: { capacity, apps } }: DeployState): Line[] {
  const lines: Line[] = [];
  if (capacity?.kind === "loading") lines.push(line("Checking free resources", "dim"));
  if (capacity?.kind === "failed") lines.push(warningLine(capacity.sentence));
  if (capacity?.kind === "loaded") lines.push(...machineLines(capacity.value));
  if (apps?.kind === "failed") lines.push(warningLine(apps.sentence));
  if (apps?.kind === "loaded") lines.push(fact("Apps", String(apps.value.length)));
  return lines;
}

function machineLines(machine: MachineCapacity | undefined): Line[] {
  if (machine === undefined) {
    return [line("The resources of a remote server are unknown here.", "dim")];
  }
  const { processors, memory, diskFreeBytes, gpus } = machine;
  const cards = gpus.map(({ name, memoryBytes }) => `${name}, ${formatMemory(memoryBytes)}`);
  return [
    fact("Processor", plural(processors, "core")),
    fact("Memory", `${formatMemory(memory.freeBytes)} free of ${formatMemory(memory.totalBytes)}`),
    fact("Disk", `${formatBytes(diskFreeBytes)} free`),
    fact("GPU", cards.join("; ") || "none"),
  ];
}
