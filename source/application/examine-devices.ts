// Finds out for `doctor` which devices models can run on.
import { describeError } from "../base/product-error.ts";
import type { DeviceKind } from "../engine/generation.ts";
import { expectedAddonVersion, findAddonBinary } from "../engine/text/addon.ts";
import {
  type DeviceSetting,
  lookForDevice,
  openDevice,
  rocmAdvice,
} from "../engine/text/choose-device.ts";

export interface DeviceExamination {
  engineVersion: string;
  devices: Array<{ kind: DeviceKind; mark: "✓" | "○"; text: string }>;
  /** The device that the setting chooses, and why. */
  chosen: string;
  works: boolean;
  rocmAdvice: string;
}

export async function examineDevices(setting: DeviceSetting): Promise<DeviceExamination> {
  const kinds: DeviceKind[] = ["cpu", "cuda", "metal", "vulkan", "rocm"];
  const devices = kinds.map((kind) => {
    const found = lookForDevice(kind);
    const binary = findAddonBinary(kind);
    const isInstalled = binary !== undefined;
    const build = isInstalled
      ? `${binary.isOwn ? "a build for this machine" : "a build"} is installed`
      : "no build is installed";
    return {
      kind,
      mark: found.present && isInstalled ? ("✓" as const) : ("○" as const),
      text: `${found.text}; ${build}`,
    };
  });
  try {
    const opened = await openDevice(setting, () => {});
    const names = opened.names.length > 0 ? ` (${opened.names.join(", ")})` : "";
    const chosen = `${opened.kind}${names}. ${opened.reason}`;
    return { engineVersion: expectedAddonVersion, devices, chosen, works: true, rocmAdvice };
  } catch (error) {
    const chosen = `nothing. ${describeError(error)}`;
    return { engineVersion: expectedAddonVersion, devices, chosen, works: false, rocmAdvice };
  }
}
