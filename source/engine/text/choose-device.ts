// Choice of the device that a model runs on, and the sentence that explains it.
import { existsSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { DeviceKind } from "../generation.ts";
import { type Addon, type AddonBinary, findAddonBinary, openAddon } from "./addon.ts";

export type DeviceSetting = "auto" | DeviceKind;

export interface OpenedDevice {
  addon: Addon;
  kind: DeviceKind;
  binary: AddonBinary;
  names: string[];
  reason: string;
}

/** Hint for ROCm: the two ways to use an AMD card. */
export const rocmAdvice =
  "AMD cards work out of the box with --gpu vulkan; for ROCm itself build llama.cpp with HIP: " +
  "modelctl engine build --gpu rocm, where cmake, a compiler and AMD's HIP development kit are.";

/** Devices in the order in which `auto` tries them. */
export function devicesToTry(platform: NodeJS.Platform = process.platform): DeviceKind[] {
  return platform === "darwin" ? ["metal", "cpu"] : ["cuda", "rocm", "vulkan", "cpu"];
}

/** Signs of a device that are visible without loading any of its libraries. */
export interface DeviceSigns {
  /** A sentence fragment: `an NVIDIA driver is present`, `no NVIDIA driver was found`. */
  text: string;
  present: boolean;
}

/** Looks for a device's driver files; loading a library just to check is slow and risky. */
export function lookForDevice(kind: DeviceKind): DeviceSigns {
  switch (kind) {
    case "cpu":
      return { present: true, text: "every machine has a CPU" };
    case "metal":
      return process.platform === "darwin"
        ? { present: true, text: "this is a Mac" }
        : { present: false, text: "this is not a Mac" };
    case "cuda":
      return signs("an NVIDIA driver", [
        "/dev/nvidiactl",
        "/proc/driver/nvidia/version",
        "/dev/dxg",
        windowsSystemFile("nvcuda.dll"),
      ]);
    case "rocm":
      return signs("an AMD compute driver", ["/dev/kfd", windowsSystemFile("amdhip64.dll")]);
    case "vulkan":
      return signs("a graphics card that Vulkan can use", [
        "/dev/dri/renderD128",
        windowsSystemFile("vulkan-1.dll"),
      ]);
  }
}

function windowsSystemFile(name: string): string {
  return path.join(process.env.SystemRoot ?? "C:\\Windows", "System32", name);
}

function signs(what: string, files: string[]): DeviceSigns {
  const present = files.some((file) => existsSync(file));
  return { present, text: present ? `${what} is present` : `${what} was not found` };
}

/**
 * Opens the addon for the setting. `auto` takes the first device that works; a named device is used
 * or refused, never silently replaced.
 *
 * @param findBinary finds the binary to use for a device
 * @throws ProductError `ENGINE_DEVICE_UNAVAILABLE` or `ENGINE_ADDON_INCOMPATIBLE`
 */
export async function openDevice(
  setting: DeviceSetting,
  log: (level: number, message: string) => void,
  findBinary = findAddonBinary,
): Promise<OpenedDevice> {
  if (setting !== "auto") return await openNamedDevice(setting, log, findBinary);
  const refused: string[] = [];
  for (const kind of devicesToTry()) {
    const found = lookForDevice(kind);
    const binary = found.present ? findBinary(kind) : undefined;
    if (binary === undefined) {
      if (kind !== "rocm" || found.present) {
        refused.push(found.present ? `no ${kind} build is installed` : found.text);
      }
      continue;
    }
    const opened = await tryToOpen(binary, log);
    if (typeof opened !== "string") {
      const reason = [...refused, kind === "cpu" ? "so the CPU is used" : found.text].join(", ");
      return { ...opened, reason: `--gpu auto: ${reason}.` };
    }
    refused.push(opened);
  }
  throw new ProductError(engineErrors.deviceUnavailable, {
    message: `No llama.cpp build supports this machine (${process.platform} ${process.arch}): ${refused.join(", ")}.`,
    hint: "Run npm ci without --omit=optional, or build node-llama-cpp from source.",
  });
}

async function openNamedDevice(
  kind: DeviceKind,
  log: (level: number, message: string) => void,
  findBinary: typeof findAddonBinary,
): Promise<OpenedDevice> {
  const found = lookForDevice(kind);
  const binary = findBinary(kind);
  const opened =
    binary === undefined
      ? `no ${kind} build of llama.cpp is installed for ${process.platform} ${process.arch}`
      : found.present
        ? await tryToOpen(binary, log)
        : found.text;
  if (typeof opened !== "string") return { ...opened, reason: `--gpu ${kind} was asked for.` };
  throw new ProductError(engineErrors.deviceUnavailable, {
    message: `--gpu ${kind} cannot be used: ${opened}.`,
    hint: kind === "rocm" ? rocmAdvice : "Use --gpu auto, or --gpu cpu.",
  });
}

/** Returns the opened device, or the reason why it does not work. */
async function tryToOpen(
  binary: AddonBinary,
  log: (level: number, message: string) => void,
): Promise<Omit<OpenedDevice, "reason"> | string> {
  const addon = await openAddon(binary, log);
  const type = addon.getGpuType();
  if (binary.device === "cpu") {
    return type === undefined
      ? "the CPU build found no backend for this processor"
      : { addon, kind: "cpu", binary, names: [] };
  }
  if (typeof type !== "string") return `the ${binary.device} build found no usable device`;
  return { addon, kind: binary.device, binary, names: addon.getGpuDeviceInfo().deviceNames };
}
