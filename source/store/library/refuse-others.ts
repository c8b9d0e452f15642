// Another program's store is never written, also where somebody names it as ours, or links to it.
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
      hint: "Choose another folder with MODELCTL_MODELS; Ollama's models are there all the same.",
    });
  }
}

/** A folder that is not there leads nowhere else. */
async function realOf(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder);
}
