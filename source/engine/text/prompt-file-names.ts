// Names of stored-prompt files, which tell the model and the settings that they belong to.
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { LoadSettings } from "../runner/load-settings.ts";
import { expectedAddonVersion } from "./addon.ts";
import type { LoadedTextModel } from "./load-text-model.ts";

/** Number and size of the samples that identify a file. */
const samples = { count: 32, bytes: 4096 };

/**
 * Returns the beginning of all file names for these weights. Identifies weights by their size, date and
 * samples: reading a large model whole would take longer than it saves.
 *
 * @param parts the weights' files
 * @throws the system's errors
 */
export async function weightsPrefix(parts: readonly string[]): Promise<string> {
  return `${await digestOfFiles(parts)}-`;
}

/** Settings that do not affect a sequence's state, or are identified otherwise. All others count. */
const withoutEffect: ReadonlySet<string> = new Set<keyof LoadSettings>([
  "modelPath",
  "adapters",
  "vision",
  "device",
  "gpuLayers",
  "windowRoomTokens",
  "windowLimit",
  "threads",
  "batchSize",
  "prefillChunk",
  "mixedBatches",
  "lookupTokens",
  "prefixSharing",
  "conversationCacheBytes",
  "promptCache",
  "useMmap",
  "maxQueue",
]);

/**
 * Returns the beginning of the names of files that fit these weights, this window and this engine.
 *
 * @throws the system's errors
 */
export async function usablePrefix(
  parts: readonly string[],
  settings: LoadSettings,
  { binary, device }: Pick<LoadedTextModel, "binary" | "device">,
): Promise<string> {
  const setup = {
    engine: [expectedAddonVersion, device.kind, device.gpuLayers],
    build: binary.isOwn ? await digestOfFiles([binary.file]) : "prebuilt",
    adapters: await digestOfFiles(settings.adapters),
    settings: Object.entries(settings).filter(([name]) => !withoutEffect.has(name)),
  };
  return `${await weightsPrefix(parts)}${digest(JSON.stringify(setup))}-`;
}

async function digestOfFiles(files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(samples.bytes);
  for (const file of files) {
    const handle = await open(file, "r");
    try {
      const { size, mtimeNs } = await handle.stat({ bigint: true });
      hash.update(`${size} ${mtimeNs} `);
      const last = Math.max(0, Number(size) - samples.bytes);
      for (let sample = 0; sample < samples.count; sample += 1) {
        const from = Math.floor((last * sample) / (samples.count - 1));
        const { bytesRead } = await handle.read(buffer, 0, samples.bytes, from);
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  }
  return short(hash.digest("hex"));
}

/** @returns 24 hex digits */
export function digest(content: string | Uint32Array): string {
  return short(createHash("sha256").update(content).digest("hex"));
}

function short(hex: string): string {
  return hex.slice(0, 24);
}
