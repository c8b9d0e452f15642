// Number of a model's layers that fit on the cards.
import type { LoadSettings } from "../runner/load-settings.ts";
import type { Addon } from "./addon.ts";
import { contextOptions } from "./context-options.ts";
import type { CardMemoryNeed } from "./engine-extension.ts";
import type { HiddenOptions } from "./hidden-options.ts";

/** Bytes to leave free on a card for its driver and other programs. */
export const cardReserveBytes = 400 * 1024 ** 2;

/**
 * Finds the largest number of layers whose weights, cache and work space fit on every card.
 *
 * @param layers all of the model's layers, including the output layer
 * @param needs returns what each card needs for a number of layers, which grows with it
 */
export async function largestFit(
  layers: number,
  needs: (layers: number) => Promise<readonly CardMemoryNeed[]>,
): Promise<number> {
  const isRoomFor = async (count: number) =>
    (await needs(count)).every(({ bytes, freeBytes }) => bytes <= freeBytes - cardReserveBytes);
  if (await isRoomFor(layers)) return layers;
  let fits = 0;
  let tooMany = layers;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (await isRoomFor(middle)) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

/**
 * Fits layers by llama.cpp's own estimate of the model's memory, without allocating it.
 *
 * @param reservedBytes memory on the cards that something else will take
 */
export async function fitLayers(
  addon: Addon,
  settings: LoadSettings,
  hidden: HiddenOptions,
  reservedBytes = 0,
): Promise<number> {
  return await largestFit(settings.layers + 1, async (count) => {
    const model = new addon.AddonModel(settings.modelPath, {
      addonExports: addon,
      gpuLayers: count,
      useMmap: settings.useMmap,
      noAlloc: true,
    });
    hidden.applyToModel(model);
    // A file that cannot be opened needs nothing; the real load reports what is wrong.
    if (!(await model.init())) return [];
    const context = new addon.AddonContext(model, contextOptions(addon, settings));
    hidden.applyToContext(context);
    const { total, used } = addon.getGpuVramInfo();
    const freeBytes = total - used - reservedBytes;
    let needs: CardMemoryNeed[] = [{ bytes: Number.POSITIVE_INFINITY, freeBytes }];
    if (await context.init()) {
      const taken = [context.getMemoryBreakdown(), model.getMemoryBreakdown()];
      const bytes = taken.reduce((sum, { gpuVram }) => sum + gpuVram, 0);
      // The sum of the cards may fit while one of them does not.
      needs = [{ bytes, freeBytes }, ...hidden.memoryByCard(context)];
    }
    await context.dispose();
    await model.dispose();
    return needs;
  });
}
