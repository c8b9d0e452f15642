// Pages about the app itself: its name, where it runs, who may call it.

import { formatBytes } from "../../../base/byte-format.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import type { MachineCapacity } from "../cloud-access.ts";
import { appStateWord } from "../console/state-words.ts";
import { authOf, isEphemeral, type Rules } from "./answers.ts";
import {
  baseOf,
  type DeployState,
  loadedValue,
  type PageContext,
  targetOf,
} from "./deploy-state.ts";
import { blank, fact, type Line, line, type Page, warningLine } from "./form.ts";

export function namePage(state: DeployState, { rules }: PageContext): Page {
  const { given } = state;
  const isRun = isEphemeral(given);
  return {
    question: isRun ? "What should it be called meanwhile?" : "What should it be called?",
    items: [
      {
        kind: "text",
        id: "name",
        label: "Name",
        value: given.name ?? "",
        placeholder: isRun ? "one is drawn" : "",
        note: "the end of its address",
      },
    ],
    lines: nameLines(state, rules),
  };
}

/** @returns why the app cannot have its name; undefined when it can */
export function nameFaultOf({ given }: DeployState, rules: Rules): string | undefined {
  const name = given.name ?? "";
  if (name === "" && isEphemeral(given)) return undefined;
  const fault = rules.nameFault(name);
  if (fault === undefined) return undefined;
  const hint = name === "" ? "" : ` Such as ${rules.suggestName(name)}.`;
  return `The name ${fault}.${hint}`;
}

function nameLines(state: DeployState, rules: Rules): Line[] {
  // It stands below the field already.
  if (state.faults.name !== undefined) return [];
  const fault = nameFaultOf(state, rules);
  // Told while one types, since that is when it helps.
  if (fault !== undefined) return [{ text: fault, tone: "error", sign: "failed" }];
  const { apps } = state.known;
  if (apps.kind === "loading") return [line("Asking which names are taken", "dim")];
  if (apps.kind === "failed") return [warningLine(apps.sentence)];
  if (apps.kind === "none") return [];
  const { name = "" } = state.given;
  const existing = namesake(state);
  if (existing === undefined) return name === "" ? [] : [line(`${name} is free.`, "good")];
  return existingLines(existing, isEphemeral(state.given));
}

/** The app that has the name already. */
export function namesake({ given, known }: DeployState): AppDocument | undefined {
  return loadedValue(known.apps)?.find(({ app }) => app === given.name);
}

function existingLines({ app, activeRevision, state }: AppDocument, isRun: boolean): Line[] {
  const revision = activeRevision === undefined ? "no active revision" : activeRevision;
  const exists = warningLine(`${app} exists: ${revision}, ${appStateWord(state)}.`);
  if (isRun) return [exists, line("What is run once needs a name of its own.", "dim")];
  const effect = "Deploying makes its next revision; the one before serves until that answers.";
  return [exists, line(effect, "dim")];
}

export function wherePage(state: DeployState): Page {
  const { targets } = state.known;
  const question = "Where should it run?";
  if (targets.kind !== "loaded") {
    const said = targets.kind === "failed" ? line(targets.sentence, "error") : line("Looking");
    return { question, items: [], lines: [said] };
  }
  const chosen = targetOf(state);
  const options = targets.value.map(({ profile, place, isCurrent }) => ({
    value: profile,
    title: place,
    note: `profile ${profile}${isCurrent ? ", in use" : ""}`,
  }));
  const value = chosen?.profile ?? options[0]?.value ?? "";
  return {
    question,
    items: [{ kind: "choice", id: "profile", label: "Server", value, options }],
    lines: [
      ...capacityLines(state),
      ...(options.length > 1
        ? []
        : [blank, line("deployctl profile add names other servers.", "dim")]),
    ],
  };
}

export function capacityLines({ known }: DeployState): Line[] {
  const { capacity, apps } = known;
  const lines: Line[] = [];
  if (capacity.kind === "loading") lines.push(line("Looking at what is free", "dim"));
  if (capacity.kind === "failed") lines.push(warningLine(capacity.sentence));
  if (capacity.kind === "loaded") {
    lines.push(
      ...(capacity.value === undefined
        ? [line("What its machine has is not known here; it tells when it starts.", "dim")]
        : machineLines(capacity.value)),
    );
  }
  if (apps.kind === "failed") lines.push(warningLine(apps.sentence));
  if (apps.kind === "loaded") lines.push(fact("Apps", String(apps.value.length)));
  return lines;
}

function machineLines({ processors, memory, diskFreeBytes, gpus }: MachineCapacity): Line[] {
  const cards = gpus.map(({ name, memoryBytes }) => `${name}, ${formatBytes(memoryBytes)}`);
  return [
    fact("Processor", `${processors} ${processors === 1 ? "core" : "cores"}`),
    fact("Memory", `${formatBytes(memory.freeBytes)} free of ${formatBytes(memory.totalBytes)}`),
    fact("Disk", `${formatBytes(diskFreeBytes)} free`),
    fact("GPU", cards.join("; ") || "none"),
  ];
}

export function accessPage(state: DeployState): Page {
  const auth = authOf(state.given, baseOf(state));
  return {
    question: "Who may call it?",
    items: [
      {
        kind: "choice",
        id: "auth",
        label: "Access",
        value: auth,
        options: [
          { value: "private", title: "private", note: "keys of the organisation" },
          { value: "shared", title: "shared", note: "any key of the server" },
          { value: "public", title: "public", note: "anybody, without a key" },
        ],
      },
    ],
    lines:
      auth === "public"
        ? [warningLine("Whoever reaches the address can use it, and the machine behind it.")]
        : [],
  };
}
