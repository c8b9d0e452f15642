// Number of a model's layers that fit on the GPU.
import type { LoadSettings } from "../runner/load-settings.ts";
import type { Addon } from "./addon.ts";
import { contextOptions } from "./context-options.ts";

/** Bytes to leave free on the card for its driver and other programs. */
export const cardReserveBytes = 400 * 1024 ** 2;

/**
 * Finds the largest number of layers whose weights, cache and work space fit in the free memory.
 *
 * @param layers all of the model's layers, including the output layer
 * @param needs returns the bytes of GPU memory for a number of layers, and grows with it
 */
export async function largestFit(
  layers: number,
  freeBytes: number,
  needs: (layers: number) => Promise<number>,
): Promise<number> {
  if ((await needs(layers)) <= freeBytes) return layers;
  let fits = 0;
  let tooMany = layers;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if ((await needs(middle)) <= freeBytes) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

/** Fits layers by llama.cpp's own estimate of the model's memory, without allocating it. */
export async function fitLayers(addon: Addon, settings: LoadSettings): Promise<number> {
  const { total, used } = addon.getGpuVramInfo();
  const layers = settings.layers + 1;
  return await largestFit(layers, total - used - cardReserveBytes, async (count) => {
    const model = new addon.AddonModel(settings.modelPath, {
      addonExports: addon,
      gpuLayers: count,
      useMmap: settings.useMmap,
      noAlloc: true,
    });
    // A file that cannot be opened needs nothing; the real load reports what is wrong.
    if (!(await model.init())) return 0;
    const context = new addon.AddonContext(model, contextOptions(addon, settings));
    const contextFits = await context.init();
    const bytes = contextFits ? context.getMemoryBreakdown().gpuVram : Number.POSITIVE_INFINITY;
    const modelBytes = model.getMemoryBreakdown().gpuVram;
    await context.dispose();
    await model.dispose();
    return bytes + modelBytes;
  });
}
