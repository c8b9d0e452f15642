// modelctl search: models of the hub, their quantizations, and which fit into memory.
import { type FoundModel, searchHub } from "../../application/models/search-hub.ts";
import { formatBytes, formatCount } from "../../base/formats.ts";
import { exitCodes } from "../../base/product-error.ts";
import { interruptible } from "../interruptible.ts";
import { openLibrary } from "../model-library.ts";
import { printDocument } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { formatTable } from "../table.ts";
import type { modelCommands } from "./models.definition.ts";

const usualLimit = 5;

export const search: Run<typeof modelCommands.search> = async (words, flags) => {
  const { library, settings } = openLibrary(flags);
  const hub = await library.hub();
  const found = await interruptible((signal) =>
    searchHub({
      text: words.join(" "),
      limit: flags.limit ?? usualLimit,
      settings: hub,
      hubPrefixes: settings.values.hub_prefixes,
      signal,
    }),
  );
  if (flags.json) printDocument(found);
  else if (found.length > 0) process.stdout.write(tableOf(found));
  else process.stderr.write(`The hub has no GGUF model for "${words.join(" ")}".\n`);
  for (const { name, problem } of flags.json ? [] : found) {
    if (problem !== undefined) process.stderr.write(`${name}: ${problem}\n`);
  }
  return found.length === 0 ? exitCodes.notFound : exitCodes.ok;
};

/** A row for each quantization: its first column is what `pull` takes. */
function tableOf(found: readonly FoundModel[]): string {
  const rows = found.flatMap(({ name, parameterCount, downloads, isGated, quantizations }) => {
    const facts = [
      parameterCount === undefined ? "-" : formatCount(parameterCount),
      downloads === undefined ? "-" : formatCount(downloads),
    ];
    const gated = isGated ? "accept the terms on the hub first" : "";
    if (quantizations.length === 0) return [[name, "-", ...facts, gated]];
    return quantizations.map(({ selector, sizeBytes, fits, isDefault }) => [
      `${name}:${selector}`,
      formatBytes(sizeBytes),
      ...facts,
      [fits ? "fits" : "too large", isDefault ? "default" : "", gated].filter(Boolean).join(", "),
    ]);
  });
  return formatTable(["model", "size", "parameters", "downloads", "memory"], rows);
}
