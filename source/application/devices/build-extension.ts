// Builds the engine extension for this machine, with libmtmd from the sources in node-llama-cpp, for its
// prebuilt engine. Without it, a slower engine reads images, and options that the addon hides have no effect.
import { cp, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { packageFolder } from "../../base/package-facts.ts";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../../engine/errors.ts";
import type { DeviceKind } from "../../engine/generation.ts";
import { findPrebuiltBinary } from "../../engine/text/addon.ts";
import {
  cpuFileName,
  extensionFileName,
  extensionFolders,
  extensionSources,
} from "../../engine/text/engine-extension.ts";
import { type BuildWork, buildLlama, carriedSources } from "./llama-build.ts";

export interface ExtensionOptions {
  /** Destination: a folder that the engine searches. */
  folder?: string;
  /**
   * Also builds the engine's CPU backend, as the prebuilt one reads images at half the possible
   * speed.
   */
  withCpu?: boolean;
}

/**
 * @returns the built file, used by models that are loaded from now on
 * @throws ProductError `ENGINE_BUILD_FAILED`
 */
export async function buildExtension(
  device: DeviceKind,
  work: BuildWork,
  { folder = extensionFolders(device)[0], withCpu = device === "cpu" }: ExtensionOptions = {},
): Promise<string> {
  const binary = findPrebuiltBinary(device);
  if (binary === undefined) {
    throw new ProductError(engineErrors.buildFailed, {
      message: `No prebuilt engine for ${device} is installed, so no extension can be built for it.`,
      hint: "Use the device that models run on; see modelctl doctor.",
    });
  }
  const engineFolder = path.dirname(binary.file);
  const { folder: carried } = await carriedSources();
  const headers = createRequire(import.meta.url).resolve("node-api-headers/package.json");
  const api = createRequire(path.join(carried, "package.json")).resolve(
    "node-addon-api/package.json",
  );
  const includes = [
    path.join(path.dirname(headers), "include"),
    path.dirname(api),
    path.join(carried, "addon"),
  ];
  const libraries = await librariesOf(engineFolder);
  return await buildLlama(
    {
      what: `the engine extension for ${device === "cpu" ? "this CPU" : device}`,
      folder,
      artifact: extensionFileName,
      target: "engine-extension",
      ...(withCpu && canBuildCpu && { companions: [cpuFileName] }),
      cmakeOptions: [
        `-DENGINE_FOLDER=${engineFolder}`,
        `-DENGINE_LIBRARIES=${libraries.join(";")}`,
        `-DADDON_INCLUDES=${includes.join(";")}`,
        `-DWITH_CPU=${withCpu && canBuildCpu ? "ON" : "OFF"}`,
        // Relative to the folder of `prepare`.
        "-DLLAMA_SOURCE=../llama.cpp",
      ],
      prepare: async (_source, workFolder) => {
        // Copies single files, as the folder may also contain builds, this one included.
        const folder = path.join(workFolder, "native");
        for (const name of extensionSources) {
          await cp(path.join(packageFolder(), "native", name), path.join(folder, name));
        }
        return folder;
      },
    },
    work,
  );
}

/** Elsewhere the prebuilt backend is as fast. */
const canBuildCpu = process.platform === "linux" && process.arch === "x64";

/** Returns llama.cpp and ggml, without the backends, which are loaded by name. */
async function librariesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) =>
      /^(?:lib)?(?:llama|ggml|ggml-base)(?:\.[\w.-]*)?\.(?:so|dylib|lib)$/.test(name),
    )
    .map((name) => path.join(folder, name));
}
