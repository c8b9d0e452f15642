// Log line before a load: memory that the model needs, and free memory.
import { formatMemory } from "../../base/formats.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { type FreeRoom, roomNeed, shortageOf } from "./card-plan.ts";
import { fitSentence, memoryNeed } from "./memory-plan.ts";

/** @param slots configured number of slots */
export function loadSentence(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: LoadSettings,
  free: FreeRoom,
  slots: number,
): string {
  const parts = [roomSentence(model, settings, free)];
  if (settings.slidingWindow > 0) parts.push(windowText(settings));
  if (settings.slots !== slots) {
    parts.push(`room for ${settings.slots} of ${slots} parallel requests`);
  }
  return parts.join("; ");
}

function windowText({ keepsWholeWindow, slidingWindow }: LoadSettings): string {
  return keepsWholeWindow
    ? `layers with a sliding window of ${slidingWindow} tokens keep all tokens, which takes little memory`
    : `layers with a sliding window keep ${slidingWindow} tokens`;
}

/** Returns the free memory in brackets, or nothing without a card. */
export function cardText(freeBytes: number | undefined): string {
  return freeBytes === undefined ? "" : ` (${formatMemory(freeBytes)} free on the card)`;
}

/** Says if the model fits, on the card or in the machine's memory. */
export function roomSentence(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: LoadSettings,
  free: FreeRoom,
): string {
  const room = roomNeed(model, settings);
  const usesCard = free.cardBytes !== undefined && room.cardBytes > 0;
  if (usesCard && shortageOf(room, free, [], false) === undefined) {
    return `needs about ${formatMemory(room.totalBytes)}: fits${cardText(free.cardBytes)}`;
  }
  return fitSentence(memoryNeed(model, settings), free.memoryBytes) + cardText(free.cardBytes);
}
