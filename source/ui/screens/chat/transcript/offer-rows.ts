// Rows of the models to begin with, in an empty chat.

import { formatBytes, formatMemory } from "../../../../base/formats.ts";
import { knownRate, percentage } from "../../../../base/quantities.ts";
import { type Download, fractionOf } from "../../../../client/download.ts";
import type { RecommendedModel } from "../../../../client/models-hub.ts";
import { fitText, type TextRow, wrapText } from "../../../text/text-run.ts";
import { glyphs, type Tone } from "../../../theme.ts";
import type { Offers } from "../chat-state.ts";

/** Size, memory, tokens per second, disk after it. */
const headers = ["SIZE", "MEMORY", "TOK/S", "DISK LEFT"] as const;
const widths = [8, 9, 10, 10] as const;
const purposeWidth = 11;
const nameWidthMinimum = purposeWidth + 16;
const blankRow: TextRow = [];

/** @returns a table with the reason for the selected model, or why there is none */
export function offerRows(offers: Offers, width: number): readonly TextRow[] {
  const wrapped = (text: string, tone: Tone): TextRow[] =>
    wrapText(text, width).map((row) => [{ text: row.text, tone }]);
  const { found, selected, download } = offers;
  if (found === undefined) {
    return wrapped(
      `${glyphs.working} looking for models that suit this machine${glyphs.ellipsis}`,
      "dim",
    );
  }
  const notes = found.notes.flatMap((note) => wrapped(note, "dim"));
  if (found.models.length === 0) {
    return [
      ...notes,
      ...wrapped("Put a .gguf file into ~/models, then: modelctl run ~/models/FILE.gguf", "plain"),
      ...wrapped("Or type a question for tiny: modelctl run tiny", "plain"),
    ];
  }
  const chosen = found.models[selected];
  const below =
    download === undefined
      ? wrapped(chosen?.why ?? "", "plain")
      : wrapped(downloadText(download), "value");
  return [
    ...wrapped("Models for this machine", "title"),
    ...notes,
    tableRow("", "FOR", headers, width, "dim"),
    ...found.models.map((model, index) => modelRow(model, index === selected, width)),
    blankRow,
    ...below,
  ];
}

/** Describes the selected model for a screen reader; empty without one. */
export function spokenOffer({ found, selected, download }: Offers): string {
  const model = found?.models[selected];
  if (found === undefined || model === undefined) return found?.notes.join(" ") ?? "";
  const { name, purpose, why } = model;
  if (download !== undefined) return `downloading ${name}.`;
  const figures = cellsOf(model).flatMap((cell, index) =>
    cell === "-" ? [] : [`${headers[index]?.toLowerCase()} ${cell}`],
  );
  const place = `${selected + 1} of ${found.models.length}`;
  return `${[`${purpose}: ${name}`, ...figures, place].join(", ")}. ${why}`;
}

function cellsOf(model: RecommendedModel): string[] {
  const { sizeBytes, isRough, memoryBytes, speed, diskAfterBytes } = model;
  return [
    `${isRough ? "~" : ""}${formatBytes(sizeBytes)}`,
    formatMemory(memoryBytes),
    knownRate(speed) ?? "-",
    diskAfterBytes === undefined ? "-" : formatBytes(diskAfterBytes),
  ];
}

function modelRow(model: RecommendedModel, isSelected: boolean, width: number): TextRow {
  const purpose = `${fitText(model.purpose, purposeWidth - 1)} `;
  const shown = purpose + model.name.slice(model.name.lastIndexOf("/") + 1);
  const tone = isSelected ? "focus" : "plain";
  return tableRow(isSelected ? "> " : "", shown, cellsOf(model), width, tone);
}

/** Drops the last columns of a narrow table. */
function tableRow(
  marker: string,
  name: string,
  cells: readonly string[],
  width: number,
  tone: Tone,
): TextRow {
  let room = width - 2;
  const kept = widths.filter((cell) => {
    if (room - cell < nameWidthMinimum) return false;
    room -= cell;
    return true;
  });
  const figures = kept.map((cell, index) => (cells[index] ?? "").padStart(cell)).join("");
  return [{ text: `${marker.padEnd(2)}${fitText(name, room)}${figures}`, tone }];
}

function downloadText(download: Download): string {
  const { status, totalBytes, completedBytes } = download;
  const fraction = fractionOf(download);
  if (fraction === undefined || totalBytes === undefined) return `${glyphs.working} ${status}`;
  const word = download.state === "verifying" ? "verifying" : "downloading";
  const of = `${formatBytes(completedBytes)} of ${formatBytes(totalBytes)}`;
  return `${glyphs.working} ${word} ${percentage(fraction)}, ${of}`;
}
