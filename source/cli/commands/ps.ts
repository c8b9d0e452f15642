// modelctl ps: lists loaded models.
import { formatMemory, formatRelativeTime } from "../../base/formats.ts";
import { type LoadedEntry, loadedModels } from "../../client/model-calls.ts";
import { printDocument } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { findNamedServer } from "../running-server.ts";
import { readSettings } from "../session-settings.ts";
import { formatTable } from "../table.ts";
import type { serverCommands } from "./server.definition.ts";

export const ps: Run<typeof serverCommands.ps> = async ([prefix = ""], flags) => {
  const server = await findNamedServer(flags, readSettings(flags));
  // Without a server, no model is loaded.
  const models = server === undefined ? [] : await loadedModels(server);
  const shown = models.filter(({ names }) =>
    names.some((name) => name.toLowerCase().startsWith(prefix.toLowerCase())),
  );
  if (flags.json) return printDocument(shown);
  const now = Date.now();
  const rows = shown.map((model) => [
    model.names.join(", "),
    model.digest.slice(0, 12),
    sizeText(model),
    processorText(model),
    String(model.context_length),
    untilText(model, now),
  ]);
  process.stdout.write(formatTable(["name", "id", "size", "processor", "context", "until"], rows));
};

function sizeText({ size, draft_size: draft }: LoadedEntry): string {
  return draft === 0 ? formatMemory(size) : `${formatMemory(size)} (draft ${formatMemory(draft)})`;
}

function processorText({ size, size_vram: vram }: LoadedEntry): string {
  if (vram === 0) return "100% CPU";
  if (vram >= size) return "100% GPU";
  const cpuPercent = Math.round(((size - vram) / size) * 100);
  return `${cpuPercent}%/${100 - cpuPercent}% CPU/GPU`;
}

function untilText(
  { state, load_progress: progress, expires_at: expires }: LoadedEntry,
  now: number,
) {
  if (state === "loading") return `Loading ${Math.floor(progress * 100)}%...`;
  if (state === "warming up") return "Warming up...";
  const at = Date.parse(expires);
  return at <= now ? "Stopping..." : formatRelativeTime(at, now);
}
