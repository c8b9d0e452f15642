// modelctl list: lists models.
import type { MissingFile, ModelLibrary } from "../../application/models/model-library.ts";
import { formatBytes, formatRelativeTime } from "../../base/formats.ts";
import { exitCodes } from "../../base/product-error.ts";
import { type KnownRate, knownRate } from "../../base/quantities.ts";
import { interruptible } from "../interruptible.ts";
import { openLibrary } from "../model-library.ts";
import { printDocument, warn } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { formatTable } from "../table.ts";
import type { modelCommands } from "./models.definition.ts";

export const list: Run<typeof modelCommands.list> = async ([prefix = ""], flags) => {
  const { library, settings } = openLibrary(flags);
  if (flags.outdated) return await listOutdated(library, prefix, flags.json ?? false);
  const { models, problems } = await library.catalog.listModels({
    store: flags.store,
    withDetails: flags.json ?? false,
  });
  const shown = models.filter(({ name }) => name.toLowerCase().startsWith(prefix.toLowerCase()));
  for (const { path, message } of problems) {
    const place = message.includes(path) ? "" : `${path}: `;
    warn(`${place}${message}`);
  }
  const lost = await library.findMissingFiles(shown);
  for (const sentence of missingFileSentences(lost)) warn(sentence);
  const speeds = flags.speed ? await library.speeds(shown, settings) : undefined;
  if (flags.json) {
    const isLost = new Set(lost.map(({ model }) => model));
    const records = shown.map(({ blobs: _, ...model }) => ({
      ...model,
      isComplete: !isLost.has(model.name),
      ...(speeds && { tokensPerSecond: speeds.get(model.name) ?? {} }),
    }));
    printDocument(records);
    return exitCodes.ok;
  }
  // The column is left out if it is the same in every row.
  const hasOthers = shown.some(({ store }) => store !== undefined && store !== "modelctl");
  const rows = shown.map((model) => [
    model.name,
    model.digest.slice(0, 12),
    formatBytes(model.sizeBytes),
    formatRelativeTime(model.modifiedAt.getTime()),
    ...(hasOthers ? [model.store ?? model.origin] : []),
    ...(speeds ? [speedText(speeds.get(model.name))] : []),
  ]);
  const headers = [
    ...["name", "id", "size", "modified"],
    ...(hasOthers ? ["store"] : []),
    ...(speeds ? ["tok/s"] : []),
  ];
  process.stdout.write(formatTable(headers, rows));
  return exitCodes.ok;
};

/** Asks the hub; models that it could not tell about are warnings. */
async function listOutdated(
  library: ModelLibrary,
  prefix: string,
  isJson: boolean,
): Promise<number> {
  const states = await interruptible((signal) => library.hubStates(prefix, signal));
  for (const { name, problem } of states) if (problem !== undefined) warn(`${name}: ${problem}`);
  const outdated = states.filter(({ isOutdated }) => isOutdated);
  if (isJson) printDocument(outdated.map(({ name, sizeBytes }) => ({ name, sizeBytes })));
  else if (outdated.length > 0) {
    const rows = outdated.map(({ name, sizeBytes = 0 }) => [
      name,
      formatBytes(sizeBytes),
      `modelctl pull ${name}`,
    ]);
    process.stdout.write(formatTable(["name", "new size", "update with"], rows));
  } else process.stderr.write("No model is known to be outdated.\n");
  const isUnknown = states.length > 0 && states.every(({ problem }) => problem !== undefined);
  return isUnknown ? exitCodes.unreachable : exitCodes.ok;
}

/** `21` is measured, `12-18 expected` is not. */
function speedText(speed: KnownRate = {}): string {
  const text = knownRate(speed) ?? "-";
  return speed.measured === undefined && speed.expected ? `${text} expected` : text;
}

/** Limits the list: an unmounted disk would fill the screen. */
const maxLostSaid = 3;

function missingFileSentences(lost: readonly MissingFile[]): string[] {
  const said = lost.slice(0, maxLostSaid).map(({ model, path, isThere, isBlob }) => {
    if (isBlob) {
      const state = isThere ? "has a different size" : "is missing";
      return `'${model}' is damaged: its file ${path} ${state}. Pull or create the model again.`;
    }
    const state = isThere ? "which has changed" : "which was moved or deleted";
    return `'${model}' refers to ${path}, ${state}.`;
  });
  const more = lost.length - said.length;
  if (more === 0) return said;
  return [...said, `${more} more models have missing or changed files: see modelctl show NAME.`];
}
