// Builds the text engine for this machine: faster than the prebuilt one, and needed for devices without
// one.
import { execFile } from "node:child_process";
import { cp, readdir, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import type { DeviceKind } from "../../engine/generation.ts";
import { addonFileName, ownBuildFolder } from "../../engine/text/addon.ts";
import { type BuildWork, buildLlama, carriedSources } from "./llama-build.ts";

const deviceOptions: Record<DeviceKind, readonly string[]> = {
  cpu: [],
  cuda: ["-DGGML_CUDA=ON"],
  metal: ["-DGGML_METAL=ON"],
  rocm: ["-DGGML_HIP=ON"],
  vulkan: ["-DGGML_VULKAN=ON"],
};

export const buildableDevices = Object.keys(deviceOptions) as DeviceKind[];

const platformNames: Record<string, string> = { darwin: "mac", linux: "linux", win32: "win" };

/**
 * @returns the built file, used by runners that start from now on
 * @throws ProductError `ENGINE_BUILD_FAILED`
 */
export async function buildEngine(device: DeviceKind, work: BuildWork): Promise<string> {
  const { folder: carried } = await carriedSources();
  const require = createRequire(path.join(carried, "package.json"));
  const headers = createRequire(import.meta.url).resolve("node-api-headers/package.json");
  const platform = `${platformNames[process.platform] ?? process.platform}-${process.arch}`;
  return await buildLlama(
    {
      what: `the engine for ${device === "cpu" ? "this CPU" : device}`,
      folder: ownBuildFolder(device),
      artifact: addonFileName,
      target: "llama-addon",
      cmakeOptions: [
        "-DGGML_NATIVE=ON",
        "-DLLAMA_BUILD_TOOLS=OFF",
        "-DLLAMA_BUILD_SERVER=OFF",
        `-DCMAKE_JS_INC=${path.join(path.dirname(headers), "include")}`,
        `-DNLC_CURRENT_PLATFORM=${platform}`,
        `-DNLC_TARGET_PLATFORM=${platform}`,
        ...deviceOptions[device],
      ],
      prepare: async (source, workFolder) => {
        const addon = path.join(workFolder, "addon-source");
        await copySources(carried, addon);
        await applyPatches(path.join(carried, "patches"), source, work.signal);
        await symlink(source, path.join(addon, "llama.cpp"), "junction");
        // Its CMakeLists resolves node-addon-api from its own folder.
        const api = path.dirname(require.resolve("node-addon-api/package.json"));
        await cp(api, path.join(addon, "node_modules", "node-addon-api"), { recursive: true });
        return addon;
      },
    },
    work,
  );
}

/** Copies the addon's sources, without llama.cpp's. */
async function copySources(carried: string, target: string): Promise<void> {
  for (const name of ["CMakeLists.txt", "addon", "cmake", "profiles", "package.json"]) {
    await cp(path.join(carried, name), path.join(target, name), { recursive: true });
  }
}

async function applyPatches(
  patches: string,
  source: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const name of (await readdir(patches)).sort()) {
    const words = ["apply", path.join(patches, name)];
    await promisify(execFile)("git", words, { cwd: source, signal });
  }
}
