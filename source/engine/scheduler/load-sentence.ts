// What the log says of a load before it begins: what the model needs, and what there is.
import { formatBytes } from "../../base/byte-format.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { cardReserveBytes } from "../text/fit-layers.ts";
import { type FreeRoom, roomNeed } from "./card-plan.ts";
import { fitSentence, memoryNeed } from "./memory-plan.ts";

/** @param slots how many were wanted */
export function loadSentence(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: LoadSettings,
  free: FreeRoom,
  slots: number,
): string {
  const sentence = roomSentence(model, settings, free);
  if (settings.slots === slots) return sentence;
  return `${sentence}; room for ${settings.slots} of ${slots} requests at the same time`;
}

/** In brackets; nothing where no card is known. */
export function cardText(freeBytes: number | undefined): string {
  return freeBytes === undefined ? "" : ` (${formatBytes(freeBytes)} free on the card)`;
}

function roomSentence(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: LoadSettings,
  free: FreeRoom,
): string {
  const need = memoryNeed(model, settings);
  const { cardBytes } = roomNeed(model, settings);
  const isOnCard =
    free.cardBytes !== undefined &&
    cardBytes >= need.totalBytes &&
    cardBytes <= free.cardBytes - cardReserveBytes;
  if (!isOnCard) return fitSentence(need, free.memoryBytes) + cardText(free.cardBytes);
  return `needs about ${formatBytes(need.totalBytes)}: fits${cardText(free.cardBytes)}`;
}
