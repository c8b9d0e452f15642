// Asks and writes what has to be settled before a step is left for the next one.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { toAbsolutePath } from "../../../base/file-path.ts";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { authOf, scriptOf } from "./answers.ts";
import type { DeployContext } from "./deploy-context.ts";
import { baseOf, loadedValue } from "./deploy-state.ts";

/** @returns false: the step stays, and says why */
export async function mayLeaveStep(context: DeployContext): Promise<boolean> {
  const { step, given } = context.store.get();
  switch (step) {
    case "script":
      if (given.source === "model") return await writeScript(context);
      divideReference(context);
      return true;
    case "preflight":
      return await confirmFaults(context);
    case "access":
    // Access may have been answered before, and read from a draft.
    case "review":
      return await confirmPublic(context);
    default:
      return true;
  }
}

/** `deploy.py::serve` in the field for the path names a function as well. */
function divideReference({ store }: DeployContext): void {
  const { given } = store.get();
  const [file = "", target = ""] = (given.script ?? "").split("::");
  if (target !== "") store.update({ given: { ...given, script: file, target } });
}

/** Writes the script that serves the chosen model. */
async function writeScript({ store, cloud, frame, folder }: DeployContext): Promise<boolean> {
  const { given, known } = store.get();
  const file = scriptOf(given);
  const absolute = toAbsolutePath(file, folder);
  const model = given.model ?? loadedValue(known.models)?.[0]?.name ?? "";
  store.update({ given: { ...given, model, file } });
  try {
    const { text } = cloud.scripts.generate(model, path.basename(file));
    const existing = await readFile(absolute, "utf8").catch(() => undefined);
    if (existing === text) return true;
    const replaces = existing !== undefined;
    const question = `${file} is there already. Replace it with a script for ${model}?`;
    if (replaces && !(await frame.confirm(question))) return false;
    await cloud.scripts.write(absolute, text, replaces);
    return true;
  } catch (error) {
    const sentence = error instanceof ProductError ? error.message : describeError(error);
    store.update({ faults: { file: sentence } });
    return false;
  }
}

async function confirmPublic({ store, frame }: DeployContext): Promise<boolean> {
  const state = store.get();
  if (authOf(state.given, baseOf(state)) !== "public" || state.isPublicConfirmed) return true;
  const isSure = await frame.confirm(
    "Public: anybody who reaches the address may use it, without a key. Make it public?",
  );
  if (isSure) store.update({ isPublicConfirmed: true });
  return isSure;
}

async function confirmFaults({ store, frame }: DeployContext): Promise<boolean> {
  const checked = loadedValue(store.get().known.checked);
  const fault = checked?.findings.find(({ kind }) => kind === "fault");
  if (fault === undefined) return true;
  return await frame.confirm(`${fault.sentence} The launch would fail. Go on all the same?`);
}
