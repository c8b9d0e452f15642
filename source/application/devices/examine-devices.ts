// Checks for `modelctl doctor` which devices can run models.
import { describeError } from "../../base/product-error.ts";
import type { DeviceKind } from "../../engine/generation.ts";
import {
  type AddonBinary,
  expectedAddonVersion,
  findAddonBinary,
} from "../../engine/text/addon.ts";
import {
  type DeviceSetting,
  lookForDevice,
  openDevice,
  rocmAdvice,
} from "../../engine/text/choose-device.ts";
import { buildCommand, hasExtension, openExtension } from "../../engine/text/engine-extension.ts";
import { bindingVersion, findBinding, isSlowOn } from "../../engine/vision/binding.ts";

export interface DeviceExamination {
  engineVersion: string;
  /** `isAvailable`: the machine has the device, and a build for it is installed. */
  devices: Array<{ kind: DeviceKind; isAvailable: boolean; text: string }>;
  /** Device that the setting chooses, with the names of its cards; undefined if none works. */
  chosen: { kind: DeviceKind; names: readonly string[] } | undefined;
  /** Reason of the choice, or why none works. */
  reason: string;
  vision: VisionExamination;
  /** Says if the engine extension is in use, and what is missing without it. */
  extension: string;
  rocmAdvice: string;
}

/** Engines that read images. */
export interface VisionExamination {
  /** Version and installed builds of the binding. */
  prebuilt: string;
  /** Engine in use, and its limits. */
  inUse: string;
}

/** @param setting device for models */
export function examineVision(setting: DeviceSetting): VisionExamination {
  const kinds: DeviceKind[] = ["cpu", "cuda", "metal", "vulkan"];
  const installed = kinds.filter((kind) => findBinding(kind) !== undefined);
  const prebuilt = `@fugood/llama.node ${bindingVersion}, for ${installed.join(", ") || "nothing here"}`;
  if (hasExtension(setting)) {
    return { prebuilt, inUse: "the text engine, through the engine extension" };
  }
  const kind = setting === "auto" ? "cpu" : setting;
  const slow = isSlowOn(kind)
    ? " Its build for x64 CPUs on Linux lacks AVX and is several times slower than possible;"
    : "";
  return {
    prebuilt,
    inUse: `the prebuilt engine, one request at a time.${slow} modelctl engine build --extension builds a fast one in a minute.`,
  };
}

function examineExtension(binary: AddonBinary): string {
  const found = openExtension(binary);
  if (typeof found !== "string") return "built, so images and all options of models work";
  return (
    `${found}; n_cpu_moe, split_mode, tensor_split, main_gpu, kv_unified and spec_type have no effect. ` +
    `${buildCommand(binary.device)} builds it in a minute.`
  );
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
      isAvailable: found.present && isInstalled,
      text: `${found.text}; ${build}`,
    };
  });
  const vision = examineVision(setting);
  const common = { engineVersion: expectedAddonVersion, devices, vision, rocmAdvice };
  try {
    const { kind, names, reason, binary } = await openDevice(setting, () => {});
    return { ...common, chosen: { kind, names }, reason, extension: examineExtension(binary) };
  } catch (error) {
    const extension = "not looked for, since no device works";
    return { ...common, chosen: undefined, reason: describeError(error), extension };
  }
}
