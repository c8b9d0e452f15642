// The files of stored prompts that belong to a model, and that it can use as it is loaded now: their
// names say so.
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { LoadSettings } from "../runner/load-settings.ts";
import { expectedAddonVersion } from "./addon.ts";
import type { LoadedTextModel } from "./load-text-model.ts";

/** Pieces of a file that are looked at, and their size. */
const samples = { count: 32, bytes: 4096 };

/**
 * Begins the names of all files that belong to these weights. They are known by their size, their date
 * and pieces of them: to read all of a large model would take longer than what it spares.
 *
 * @param parts the weights' files
 * @throws the system's errors
 */
export async function weightsPrefix(parts: readonly string[]): Promise<string> {
  return `${await digestOfFiles(parts)}-`;
}

/** Settings that leave the state of a sequence as it is, or are told apart otherwise. One that is not named here counts. */
const withoutEffect: ReadonlySet<string> = new Set<keyof LoadSettings>([
  "modelPath",
  "adapters",
  "vision",
  "device",
  "gpuLayers",
  "threads",
  "batchSize",
  "prefillChunk",
  "mixedBatches",
  "lookupTokens",
  "prefixSharing",
  "conversationCacheBytes",
  "promptCache",
  "useMmap",
  "maximumQueue",
]);

/**
 * Begins the names of the files that fit these weights in this window, with this engine.
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
