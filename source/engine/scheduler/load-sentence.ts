// What the log says of a load before it begins: what the model needs, and what there is.
import { formatBytes } from "../../base/byte-format.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { type FreeRoom, roomNeed, shortageOf } from "./card-plan.ts";
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

/** Whether a model finds room, on the card or in the machine's memory. */
export function roomSentence(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: LoadSettings,
  free: FreeRoom,
): string {
  const room = roomNeed(model, settings);
  const usesCard = free.cardBytes !== undefined && room.cardBytes > 0;
  if (usesCard && shortageOf(room, free, [], false) === undefined) {
    return `needs about ${formatBytes(room.totalBytes)}: fits${cardText(free.cardBytes)}`;
  }
  return fitSentence(memoryNeed(model, settings), free.memoryBytes) + cardText(free.cardBytes);
}
