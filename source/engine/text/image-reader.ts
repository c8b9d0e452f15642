// Images of a model in the text engine: the part of the engine extension that reads projectors and images.
import { existsSync } from "node:fs";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { AddonBinary, AddonModel } from "./addon.ts";
import { buildCommand, type ImageReader, openExtension } from "./engine-extension.ts";

/**
 * @param binary the addon that was loaded
 * @throws ProductError `ENGINE_PROJECTOR_UNUSABLE`
 */
export async function openImageReader(
  binary: AddonBinary,
  model: AddonModel,
  { projectorPath, threads }: { projectorPath: string; threads: number },
): Promise<ImageReader> {
  const { device } = binary;
  const extension = openExtension(binary);
  if (typeof extension === "string") {
    throw new ProductError(engineErrors.projectorUnusable, {
      message: `Images need the engine extension: ${extension}.`,
      hint: `Build it with ${buildCommand(device)}.`,
    });
  }
  if (!existsSync(projectorPath)) {
    throw unusable(projectorPath, "the file does not exist");
  }
  try {
    const reader = new extension.ImageReader(model, projectorPath, threads, device !== "cpu");
    await reader.init();
    return reader;
  } catch (error) {
    throw unusable(projectorPath, reasonOf(error), error);
  }
}

function unusable(projectorPath: string, why: string, cause?: unknown): ProductError {
  return new ProductError(engineErrors.projectorUnusable, {
    message: `The projector ${projectorPath} cannot be used with this model: ${why}.`,
    hint: "Use the projector that was published with the model.",
    ...(cause !== undefined && { cause }),
  });
}

/** Returns llama.cpp's first log line without function names. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*\w+: (?:error: )?/, "").trim())
    .filter((line) => line !== "");
  return (lines[0] ?? "no reason was given").replace(/[.:]$/, "");
}
