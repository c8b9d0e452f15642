// modelctl cache: stored prompts on this machine's disk.
import { PromptCache, type StoredPrompt } from "../../application/models/prompt-cache.ts";
import { formatBytes, formatRelativeTime } from "../../base/formats.ts";
import { openLibrary } from "../model-library.ts";
import { printDocument, warn } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { formatTable } from "../table.ts";
import type { cacheCommands } from "./server.definition.ts";

export const listCache: Run<typeof cacheCommands.listCache> = async ([model], flags) => {
  const prompts = await openCache().list(model, warn);
  if (flags.json) {
    const records = prompts.map(({ path, model, tokens, bytes, createdAt, lastUsedAt }) => ({
      path,
      model,
      tokens: tokens.length,
      sizeBytes: bytes,
      createdAt: new Date(createdAt).toISOString(),
      lastUsedAt: new Date(lastUsedAt).toISOString(),
    }));
    return printDocument(records);
  }
  const rows = prompts.map(({ model, tokens, bytes, createdAt, lastUsedAt }) => [
    model,
    String(tokens.length),
    formatBytes(bytes),
    formatRelativeTime(createdAt),
    formatRelativeTime(lastUsedAt),
  ]);
  process.stdout.write(formatTable(["model", "tokens", "size", "created", "used"], rows));
};

export const clearCache: Run<typeof cacheCommands.clearCache> = async ([model], flags) => {
  const removed = await openCache().clear(model, warn);
  const freedBytes = sumOf(removed);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ removed: removed.length, freedBytes })}\n`
      : `removed ${removed.length} stored ${removed.length === 1 ? "prompt" : "prompts"}: ${formatBytes(freedBytes)}\n`,
  );
};

function openCache(): PromptCache {
  const { library, settings } = openLibrary();
  return new PromptCache(settings.paths, library.catalog);
}

function sumOf(prompts: readonly StoredPrompt[]): number {
  return prompts.reduce((sum, { bytes }) => sum + bytes, 0);
}
