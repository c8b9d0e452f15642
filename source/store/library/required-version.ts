// Checks a model's REQUIRES line: models are made for Ollama, so they name Ollama's versions.
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { isLater, readVersion } from "../modelfile/version-text.ts";

/** The Ollama whose Modelfiles, templates and parameters this program understands. */
export const ollamaVersion = "0.33.0";

/**
 * @param requires what the model's configuration says; an invalid version requires nothing
 * @throws ProductError `STORE_VERSION_REQUIRED`
 */
export function refuseLaterVersion(model: string, requires: string | undefined): void {
  const version = requires === undefined ? undefined : readVersion(requires);
  if (version === undefined || !isLater(version, ollamaVersion)) return;
  throw new ProductError(storeErrors.versionRequired, {
    message: `model '${model}' requires Ollama ${version} or later; this modelctl matches Ollama ${ollamaVersion}.`,
    hint: "Update modelctl, or create a model from it with a lower REQUIRES if you know that it works.",
    param: "model",
  });
}
