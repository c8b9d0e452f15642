// Refuses to write to another program's store, even when it is configured as ours or linked to.
import { realpath } from "node:fs/promises";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { ModelFolder } from "./model-folder.ts";

/** @throws ProductError `STORE_NOT_WRITABLE` when the folder is one of the others */
export async function refuseOthers(folder: string, others: readonly ModelFolder[]): Promise<void> {
  const real = await realOf(folder);
  for (const other of others) {
    if ((await realOf(other.path)) !== real) continue;
    throw new ProductError(storeErrors.notWritable, {
      message: `The folder ${folder} is Ollama's own store, which this program only reads.`,
      hint: "Choose another folder with MODELCTL_MODELS; Ollama's models are listed anyway.",
    });
  }
}

/** A folder that is not there leads nowhere else. */
async function realOf(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder);
}
