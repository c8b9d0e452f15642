// Pages about the app itself: its name, who may call it, where it runs.

import { formatBytes, formatMemory } from "../../../base/byte-format.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import type { MachineCapacity } from "../cloud-access.ts";
import { appStateWord } from "../console/console-texts.ts";
import { authOf, isEphemeral } from "./answers.ts";
import { type DeployState, loadedValue, targetOf } from "./deploy-state.ts";
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
import { functionItems, scriptedPage, summaryLines } from "./script-pages.ts";

export function appPage(state: DeployState) {
  return scriptedPage(state, (script) => {
    const isRun = isEphemeral(state.given);
    const auth = authOf(state.given, script.base);
    const name = textItem("name", "Name", state.given.name, {
      placeholder: isRun ? "one is drawn" : "",
      note: "the end of its address",
      fault: () => nameFault(state) ?? takenFault(state),
    });
    const access = choiceItem("auth", "Access", auth, [
      ["private", "private", "keys of the organisation"],
      ["shared", "shared", "any key of the server"],
      ["public", "public", "anybody, without a key"],
    ]);
    const warning = "Whoever reaches the address can use it, and the machine behind it.";
    return {
      question: `What should it be called${isRun ? " meanwhile" : ""}, and who may call it?`,
      items: [...functionItems(state), name, access],
      lines: [
        ...nameLines(state),
        ...(auth === "public" ? [warningLine(warning)] : []),
        blank,
        ...summaryLines(script),
      ],
    };
  });
}

function nameFault({ given, rules }: DeployState): string | undefined {
  const { name = "" } = given;
  if (name === "" && isEphemeral(given)) return undefined;
  const fault = rules.nameFault(name);
  if (fault === undefined) return undefined;
  const hint = name === "" ? "" : ` Such as ${rules.suggestName(name)}.`;
  return `The name ${fault}.${hint}`;
}

function takenFault(state: DeployState): string | undefined {
  const existing = isEphemeral(state.given) ? namesake(state) : undefined;
  return existing && `${existing.app} exists: what is run once needs a name of its own.`;
}

/** The app that has the name already. */
function namesake({ given, known }: DeployState): AppDocument | undefined {
  return loadedValue(known.apps)?.find(({ app }) => app === given.name);
}

function nameLines(state: DeployState): Line[] {
  const { apps } = state.known;
  const { name = "" } = state.given;
  // It stands below the field already.
  if (state.faults.name !== undefined) return [];
  const fault = nameFault(state);
  // Told while one types, since that is when it helps.
  if (fault !== undefined) return [errorLine(fault)];
  if (apps.kind === "loading") return [line("Asking which names are taken", "dim")];
  if (apps.kind === "failed") return [warningLine(apps.sentence)];
  if (apps.kind === "none") return [];
  const existing = namesake(state);
  if (existing === undefined) return name === "" ? [] : [line(`${name} is free.`, "dim")];
  const revision = existing.activeRevision ?? "no active revision";
  const effect = isEphemeral(state.given)
    ? "What is run once needs a name of its own."
    : "Deploying makes its next revision; the one before serves until that answers.";
  return [
    line(`${name} exists: ${revision}, ${appStateWord(existing.state)}.`),
    line(effect, "dim"),
  ];
}

export function wherePage(state: DeployState) {
  const { targets } = state.known;
  const question = "Where should it run?";
  if (targets.kind !== "loaded") {
    const said = targets.kind === "failed" ? line(targets.sentence, "error") : line("Looking");
    return { question, lines: [said], fault: "Still looking for servers." };
  }
  const options = targets.value.map(
    ({ profile, place, isCurrent }) =>
      [profile, place, `profile ${profile}${isCurrent ? ", in use" : ""}`] as const,
  );
  const profile = targetOf(state)?.profile ?? targets.value[0]?.profile ?? "";
  const hint = [blank, line("deployctl profile add names other servers.", "dim")];
  return {
    question,
    items: [choiceItem("profile", "Server", profile, options)],
    lines: [...capacityLines(state), ...(options.length > 1 ? [] : hint)],
  };
}

/** Describes the machine's resources and the apps it runs. */
export function capacityLines({ known: { capacity, apps } }: DeployState): Line[] {
  const lines: Line[] = [];
  if (capacity.kind === "loading") lines.push(line("Looking at what is free", "dim"));
  if (capacity.kind === "failed") lines.push(warningLine(capacity.sentence));
  if (capacity.kind === "loaded") lines.push(...machineLines(capacity.value));
  if (apps.kind === "failed") lines.push(warningLine(apps.sentence));
  if (apps.kind === "loaded") lines.push(fact("Apps", String(apps.value.length)));
  return lines;
}

function machineLines(machine: MachineCapacity | undefined): Line[] {
  if (machine === undefined) {
    return [line("What its machine has is not known here; it tells when it starts.", "dim")];
  }
  const { processors, memory, diskFreeBytes, gpus } = machine;
  const cards = gpus.map(({ name, memoryBytes }) => `${name}, ${formatMemory(memoryBytes)}`);
  return [
    fact("Processor", `${processors} ${processors === 1 ? "core" : "cores"}`),
    fact("Memory", `${formatMemory(memory.freeBytes)} free of ${formatMemory(memory.totalBytes)}`),
    fact("Disk", `${formatBytes(diskFreeBytes)} free`),
    fact("GPU", cards.join("; ") || "none"),
  ];
}
