// Finds llama-quantize: the one in the settings, or one built once from the sources in node-llama-cpp.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../../store/errors.ts";
import type { QuantizeWork } from "../../store/quantize/quantize-weights.ts";
import { buildLlama, carriedSources } from "./llama-build.ts";

export interface ProgramPlaces {
  /** From the settings. */
  named: string | undefined;
  /** Destination of built programs. */
  cacheFolder: string;
}

const programName = process.platform === "win32" ? "llama-quantize.exe" : "llama-quantize";

/**
 * @returns the program's path
 * @throws ProductError `STORE_QUANTIZER_UNUSABLE`, `ENGINE_BUILD_FAILED`
 */
export async function findQuantizeProgram(
  { named, cacheFolder }: ProgramPlaces,
  work: QuantizeWork,
): Promise<string> {
  if (named === undefined) return await findOrBuild(cacheFolder, work);
  if (await starts(named)) return named;
  throw new ProductError(storeErrors.quantizerUnusable, {
    message: `${named}, set by llama_quantize, cannot be started.`,
    hint: "Fix the setting, or remove it to build llama-quantize automatically.",
  });
}

async function findOrBuild(cacheFolder: string, work: QuantizeWork): Promise<string> {
  const { release } = await carriedSources();
  const folder = path.join(cacheFolder, `llama.cpp-${release}`);
  const program = path.join(folder, programName);
  if (await starts(program)) return program;
  let told: number | undefined;
  return await buildLlama(
    {
      what: "llama-quantize",
      folder,
      artifact: programName,
      target: "llama-quantize",
      // Machines may share the cache.
      cmakeOptions: ["-DGGML_NATIVE=OFF"],
    },
    {
      signal: work.signal,
      onProgress: (percent) => {
        const tens = Math.floor(percent / 10) * 10;
        if (tens === told) return;
        told = tens;
        work.onProgress({ status: `building llama-quantize, once: ${tens} %` });
      },
    },
  );
}

async function starts(program: string): Promise<boolean> {
  return await promisify(execFile)(program, ["--help"]).then(
    () => true,
    // Its help exits with an unusual code.
    (error: unknown) => error instanceof Error && "code" in error && typeof error.code === "number",
  );
}
