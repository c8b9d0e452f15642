// modelctl export: a model with everything that belongs to it, in one file.
import { stat } from "node:fs/promises";
import path from "node:path";
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { openLibrary } from "../model-library.ts";
import { withProgress } from "../with-progress.ts";

export async function exportCommand(words: string[], flags: Flags): Promise<number> {
  const [name, file, ...more] = words;
  if (name === undefined || file === undefined || more.length > 0) {
    throw usageError("export needs a model and a file.", "modelctl export MODEL FILE");
  }
  const { library } = openLibrary(flags);
  const target = path.resolve(file);
  await withProgress(flags, (work) => library.export(name, target, work));
  const { size } = await stat(target);
  if (flags.json) process.stdout.write(`${JSON.stringify({ name, file: target, size })}\n`);
  else process.stdout.write(`exported '${name}' to ${target}\n`);
  return exitCodes.ok;
}
