// modelctl recommend: models of the hub that suit this machine.
import path from "node:path";
import type { Recommendation, Recommended } from "../../application/models/model-library.ts";
import { formatBytes, formatMemory } from "../../base/formats.ts";
import { exitCodes } from "../../base/product-error.ts";
import { knownRate } from "../../base/quantities.ts";
import { byteSize } from "../../configuration/setting-readers.ts";
import { usageError } from "../errors.ts";
import { interruptible } from "../interruptible.ts";
import { openLibrary } from "../model-library.ts";
import { printDocument } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { formatTable } from "../table.ts";
import type { modelCommands } from "./models.definition.ts";

const purposeOf = {
  code: "code",
  vision: "vision",
  embeddings: "embeddings",
  small: "fast",
} as const;

export const recommend: Run<typeof modelCommands.recommend> = async (_words, flags) => {
  const memoryBytes = flags.memory === undefined ? undefined : readMemory(flags.memory);
  const { library, settings } = openLibrary(flags);
  const purpose = purposeOf[flags.for as keyof typeof purposeOf];
  const found = await interruptible((signal) =>
    library.recommend({ purpose, memoryBytes, signal }, settings),
  );
  if (flags.json) printDocument(documentOf(found));
  else if (found.models.length > 0) process.stdout.write(textOf(found));
  for (const note of found.notes) process.stderr.write(`${note}\n`);
  if (found.models.length > 0) return exitCodes.ok;
  if (found.readAtMs === undefined) process.stderr.write(withoutHub());
  return found.readAtMs === undefined ? exitCodes.unreachable : exitCodes.notFound;
};

function readMemory(text: string): number {
  const read = byteSize(text);
  if ("value" in read && read.value > 0) return read.value;
  throw usageError(`--memory ${text} is not a size.`, "Use a size such as 8GiB.");
}

function documentOf({ models, readAtMs, notes }: Recommended) {
  return {
    models,
    readAt: readAtMs === undefined ? null : new Date(readAtMs).toISOString(),
    notes,
  };
}

/** A row for each model, its reason, and how to get it. */
function textOf({ models }: Recommended): string {
  const rows = models.map((model) => [
    model.name,
    `${model.isRough ? "~" : ""}${formatBytes(model.sizeBytes)}`,
    formatMemory(model.memoryBytes),
    knownRate(model.speed) ?? "-",
    model.diskAfterBytes === undefined ? "-" : formatBytes(model.diskAfterBytes),
  ]);
  const table = formatTable(["model", "size", "memory", "tok/s", "disk after"], rows);
  const [first] = models;
  const reasons = models.map(({ name, why }) => `${shortName(name)}: ${why}.\n`).join("");
  return `${table}\n${reasons}\nGet one: modelctl run ${first?.name}\n`;
}

function shortName(name: Recommendation["name"]): string {
  return path.posix.basename(name);
}

function withoutHub(): string {
  return "Without the hub: put a .gguf file into ~/models, then modelctl run ~/models/FILE.gguf; or modelctl run tiny.\n";
}
