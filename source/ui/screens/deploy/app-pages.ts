// Pages about the app itself: its name, its access, its server.

import { formatBytes, formatMemory } from "../../../base/formats.ts";
import { plural } from "../../../base/quantities.ts";
import { loadedValue } from "../../../client/live/loadable.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import type { MachineCapacity } from "../../app/cloud-access.ts";
import { stateWord } from "../console/console-texts.ts";
import { authOf, isEphemeral } from "./answers.ts";
import { type DeployState, placeOf, type ReadScript, targetOf } from "./deploy-state.ts";
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
  const place = placeOf(state);
  const name = textItem("name", "Name", state.given.name, {
    placeholder: isRun ? "like the script" : "",
    note: place.app === state.given.name ? "last part of its URL" : `${place.app} in its URL`,
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
    items: [...functionItems(state), name, ...environmentItems(state), access],
    lines: [
      ...nameLines(state),
      ...(auth === "public" ? [warningLine(warning)] : []),
      blank,
      ...summaryLines(script),
    ],
    fault: environmentFault(state),
  };
}

/** Returns the choice of an environment, if there is one besides `main`. */
function environmentItems(state: DeployState) {
  const { environment, isMain } = placeOf(state);
  const there = loadedValue(state.known.environments) ?? [];
  const names = new Set([...there.map(({ name }) => name), environment]);
  if (isMain && names.size === 1) return [];
  const options = [...names].map((name) => {
    const { apps = 0, description = "" } = there.find((each) => each.name === name) ?? {};
    return [name, name, description || plural(apps, "app")] as const;
  });
  return [choiceItem("environment", "Environment", environment, options)];
}

/** Finds an environment that the server does not have; unknown while it is not running. */
function environmentFault(state: DeployState): string | undefined {
  const { environment } = placeOf(state);
  const there = loadedValue(state.known.environments) ?? [];
  if (there.length === 0 || there.some(({ name }) => name === environment)) return undefined;
  return `The environment ${environment} does not exist. Create it with deployctl environments create ${environment}.`;
}

function nameFault(state: DeployState): string | undefined {
  const { given, rules } = state;
  const { name = "" } = given;
  if (name === "" && isEphemeral(given)) return undefined;
  const fault = rules.nameFault(name, placeOf(state).environment);
  if (fault === undefined) return undefined;
  // Suggestions have no environment.
  const hint = name === "" || name.includes("--") ? "" : ` Try ${rules.suggestName(name)}.`;
  return `The name ${fault}.${hint}`;
}

function takenFault(state: DeployState): string | undefined {
  const existing = isEphemeral(state.given) ? namesake(state) : undefined;
  return existing && `${existing.app} already exists: a one-time run needs a new name.`;
}

/** Returns the app that already has the name. */
function namesake(state: DeployState): AppDocument | undefined {
  const { app: name } = placeOf(state);
  return loadedValue(state.known.apps)?.find(({ app }) => app === name);
}

function nameLines(state: DeployState): Line[] {
  const { apps } = state.known;
  const { app: name } = placeOf(state);
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
