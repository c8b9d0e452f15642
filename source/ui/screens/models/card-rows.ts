// The card of the selected model: what it is, what loading it takes, and how it was made.

import { formatBytes } from "../../../base/byte-format.ts";
import { formatCount } from "../../../base/count-format.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import type { StyledRow } from "../../frame/screen.ts";
import { foreignSpan, textRow } from "../../panes/styled-row.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs, Tone } from "../../theme.ts";
import type { Download } from "./download.ts";
import { estimateRows } from "./estimate-rows.ts";
import { fitOfWeights } from "./memory-estimate.ts";
import type { HubEntry, LocalEntry, ModelEntry, RunningEntry } from "./model-entries.ts";
import { formatTally, formatWindow } from "./model-figures.ts";
import { type CardFacts, cardKey, type ModelsState } from "./models-state.ts";
import { fitWords, processorOf, untilOf } from "./state-cells.ts";

export interface CardLook {
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly nowMs: number;
}

/** As many rows as it takes; the caller shows a part of them. */
export function cardRows(
  entry: ModelEntry,
  state: ModelsState,
  look: CardLook,
): readonly StyledRow[] {
  switch (entry.kind) {
    case "local":
      return localCard(entry, state, look);
    case "hub":
      return hubCard(entry, state, look);
    case "running":
      return runningCard(entry, look);
  }
}

function localCard(entry: LocalEntry, state: ModelsState, look: CardLook): StyledRow[] {
  const { model, estimate } = entry;
  if (model === undefined) return comingCard(entry.download, look);
  const card = state.cards.get(cardKey(model));
  const facts = card?.value;
  const capacity = state.capacity.value;
  const rows: StyledRow[] = [
    ...(facts === undefined ? [] : titleRows(facts, look)),
    ...wrapped(
      joined(
        [
          `arch ${model.family}`,
          estimate === undefined ? "" : `${estimate.layers - 1} layers`,
          model.parameterSize,
          model.quantization,
        ],
        look,
      ),
      "plain",
      look,
    ),
    ...(model.capabilities.length === 0
      ? []
      : wrapped(`can ${model.capabilities.join(", ")}`, "plain", look)),
    [],
  ];
  if (estimate !== undefined && capacity !== undefined) {
    rows.push(...estimateRows(estimate, capacity, state.choice, look), []);
  } else if (model.memory === undefined) {
    rows.push(
      ...wrapped("Its file cannot be read: e, d and modelctl show tell more.", "warning", look),
      [],
    );
  }
  if (card?.error !== undefined) rows.push(...wrapped(card.error, "error", look));
  else if (facts === undefined)
    rows.push(textRow(`reading the card${look.glyphs.ellipsis}`, "dim"));
  else rows.push(...factRows(facts, look));
  return [
    ...rows,
    ...wrapped(`Modified ${formatRelativeTime(model.modifiedMs, look.nowMs)}`, "dim", look),
    ...wrapped(`Store ${model.store}, digest ${model.digest.slice(0, 12)}`, "dim", look),
  ];
}

/** Of a model that is not here yet. */
function comingCard(download: Download | undefined, look: CardLook): StyledRow[] {
  if (download?.state !== "failed") return wrapped("It is on its way here.", "dim", look);
  return [
    ...wrapped(`${look.glyphs.failed} ${download.error ?? "It failed."}`, "error", look),
    [],
    ...wrapped(
      "r tries again and goes on from what is here; x takes it off the list.",
      "dim",
      look,
    ),
  ];
}

function titleRows({ description }: CardFacts, look: CardLook): StyledRow[] {
  const { info, description: sentence, license } = description;
  const own = info["general.name"] ?? info["general.basename"];
  return [
    ...(typeof own === "string" ? wrapped(own, "title", look) : []),
    ...(sentence === undefined ? [] : wrapped(sentence, "plain", look)),
    ...wrapped(`licence ${licenseName(info["general.license"], license)}`, "plain", look),
  ];
}

/** The short name where the file has one, else the first line of the text. */
function licenseName(short: unknown, text: string | undefined): string {
  if (typeof short === "string" && short !== "") return short;
  const line = text?.split("\n").find((candidate) => candidate.trim() !== "");
  return line?.trim() ?? "not told";
}

function factRows({ description, deletion }: CardFacts, look: CardLook): StyledRow[] {
  const { template } = description;
  const language = template.language === undefined ? "" : `, ${template.language}`;
  const rows: StyledRow[] = [
    textRow("Modelfile", "title"),
    ...modelfileLines(description.modelfile, look).flatMap((line) => wrapped(line, "code", look)),
    ...wrapped(`Template from ${template.origin}${language}. ${template.reason}`, "dim", look),
    [],
  ];
  if (deletion !== undefined) rows.push(...wrapped(deletionSentence(deletion), "dim", look));
  return rows;
}

/** What a person reads before a model is deleted, and on its card. */
export function deletionSentence({
  freedBytes,
  sharedBytes,
  referredBytes,
}: NonNullable<CardFacts["deletion"]>): string {
  const parts = [
    `Deleting it frees ${formatBytes(freedBytes)}`,
    sharedBytes > 0 ? `${formatBytes(sharedBytes)} stay for other models` : "",
    referredBytes > 0 ? `a file of ${formatBytes(referredBytes)} outside the store stays` : "",
  ];
  return `${parts.filter((part) => part !== "").join("; ")}.`;
}

/** The commands that say how it was made: no comments, no long texts. */
function modelfileLines(modelfile: string, { glyphs }: CardLook): string[] {
  const lines: string[] = [];
  let isInside = false;
  for (const line of modelfile.split("\n")) {
    const quotes = line.split('"""').length - 1;
    if (isInside) {
      if (quotes % 2 === 1) isInside = false;
      continue;
    }
    if (quotes % 2 === 1) {
      isInside = true;
      lines.push(line.slice(0, line.indexOf('"""')) + glyphs.ellipsis);
    } else if (line.trim() !== "" && !line.startsWith("#")) lines.push(line);
  }
  return lines.slice(0, 40);
}

function hubCard(entry: HubEntry, state: ModelsState, look: CardLook): StyledRow[] {
  const { model, installed } = entry;
  const { glyphs, nowMs } = look;
  const count = model.parameterCount === undefined ? "" : formatCount(model.parameterCount);
  const window =
    model.contextLength === undefined ? "" : `${formatWindow(model.contextLength)} context`;
  const architecture = model.architecture === undefined ? "" : `arch ${model.architecture}`;
  const facts = joined([architecture, count, window], look);
  const figures = joined(
    [
      model.downloads === undefined ? "" : `${formatTally(model.downloads)} downloads`,
      model.likes === undefined ? "" : `${formatTally(model.likes)} likes`,
      model.modifiedMs === undefined ? "" : formatRelativeTime(model.modifiedMs, nowMs),
    ],
    look,
  );
  return [
    ...wrapped(model.repository, "title", look),
    ...(facts === "" ? [] : wrapped(facts, "plain", look)),
    ...wrapped(`licence ${model.license ?? "not told"}`, "plain", look),
    ...(figures === "" ? [] : wrapped(figures, "plain", look)),
    ...(model.isGated
      ? wrapped(
          `${glyphs.warning} gated: accept its terms on the hub, then set HF_TOKEN for the server.`,
          "warning",
          look,
        )
      : []),
    [],
    ...(installed.length === 0
      ? []
      : [
          textRow("On this machine", "title"),
          ...installed.flatMap((name) => wrapped(name, "good", look)),
          [],
        ]),
    ...offerRows(entry, state, look),
  ];
}

/** What can be pulled of it, with a first guess at whether that fits. */
function offerRows({ name }: HubEntry, state: ModelsState, look: CardLook): StyledRow[] {
  const offer = state.offers.get(name);
  const room = state.capacity.value;
  const rows: StyledRow[] = [textRow("Quantizations", "title")];
  if (offer?.error !== undefined) return [...rows, ...wrapped(offer.error, "error", look)];
  if (offer?.value === undefined)
    return [...rows, textRow(`asking the hub${look.glyphs.ellipsis}`, "dim")];
  const width = Math.max(0, ...offer.value.map(({ selector }) => selector.length));
  for (const { selector, sizeBytes, isDefault, hasProjector } of offer.value) {
    const fit = room && fitWords[fitOfWeights(sizeBytes, room)];
    rows.push([
      foreignSpan(selector.padEnd(width), isDefault ? "value" : "plain", look.glyphs.isAscii),
      { text: `  ${formatBytes(sizeBytes).padStart(7)}  `, tone: "plain" },
      ...(fit === undefined ? [] : [{ ...fit, text: fit.text.padEnd(5) }]),
      { text: `${hasProjector ? " sees images" : ""}${isDefault ? " usual" : ""}`, tone: "dim" },
    ]);
  }
  return [
    ...rows,
    ...wrapped("Enter chooses and pulls one, i shows what its makers say.", "dim", look),
  ];
}

function runningCard({ loaded }: RunningEntry, look: CardLook): StyledRow[] {
  const { nowMs } = look;
  const requests = fieldsIn(loaded.requests);
  const options = Object.entries(fieldsIn(loaded.load_options));
  const busy = `${String(requests.running ?? 0)} running, ${String(requests.waiting ?? 0)} waiting`;
  return [
    ...wrapped(`${formatBytes(loaded.size)} in memory, ${processorOf(loaded)}`, "plain", look),
    ...wrapped(`Context ${loaded.context_length} tokens in each slot`, "plain", look),
    ...wrapped(`Requests ${busy}`, "plain", look),
    ...wrapped(`Unload in ${untilOf(loaded, nowMs)}`, "plain", look),
    ...(loaded.names.length > 1 ? wrapped(`Serves ${loaded.names.join(", ")}`, "plain", look) : []),
    [],
    textRow("Loaded with", "title"),
    ...options.flatMap(([name, value]) => wrapped(`${name} ${String(value)}`, "code", look)),
    ...(typeof loaded.process_id === "number"
      ? wrapped(`Process ${loaded.process_id}`, "dim", look)
      : []),
  ];
}

function fieldsIn(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === "object" ? { ...value } : {};
}

function joined(parts: readonly string[], { glyphs }: CardLook): string {
  return parts.filter((part) => part !== "").join(` ${glyphs.separator} `);
}

function wrapped(text: string, tone: Tone, { width, glyphs }: CardLook): StyledRow[] {
  return wrapLine(text, Math.max(1, width)).map((row) => [
    foreignSpan(row.text, tone, glyphs.isAscii),
  ]);
}
