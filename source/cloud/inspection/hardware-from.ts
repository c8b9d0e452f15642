// Hardware of a replica, from a script's keywords and flags.
import type { HardwareNeeds } from "../app-config.ts";
import type { ConfigKeywords } from "./config-keywords.ts";

/** Values of flags, which replace the script's hardware. */
export interface HardwareFlags {
  /** "any" accepts any machine and reserves no GPU. */
  machineType?: string | undefined;
  gpuCount?: number | undefined;
}

/** @throws ProductError `CLOUD_CONFIG_INVALID` for a keyword that names no hardware */
export function hardwareFrom(keywords: ConfigKeywords, flags: HardwareFlags): HardwareNeeds {
  const { machineType, gpuCount } = flags;
  if (machineType?.toLowerCase() === "any") return { machineType, gpuCount: gpuCount ?? 0 };
  const common = keywords.number("num_gpus") ?? 0;
  const choices = choicesOf(keywords).map((choice) => ({
    machineType: choice.machineType,
    gpuCount: gpuCount ?? choice.gpuCount ?? common,
  }));
  const [first = { machineType: undefined, gpuCount: gpuCount ?? common }, ...others] = choices;
  if (machineType !== undefined) return { machineType, gpuCount: first.gpuCount };
  return { ...first, ...(others.length > 0 && { alternatives: others }) };
}

interface Choice {
  machineType: string;
  /** Undefined where the keyword names no count. */
  gpuCount: number | undefined;
}

function choicesOf(keywords: ConfigKeywords): Choice[] {
  const gpus = keywords.textOrTexts("gpu")?.map((text) => gpuOf(keywords, text));
  if (gpus !== undefined) return gpus;
  const types = keywords.textOrTexts("machine_type") ?? keywords.textOrTexts("machine_types") ?? [];
  return types.map((machineType) => ({ machineType, gpuCount: undefined }));
}

/** Parses `gpu="H100:2"`: part of the GPU's name, and the count. Modal's "H100!" is no other GPU. */
function gpuOf(keywords: ConfigKeywords, text: string): Choice {
  const [, name = "", count] = /^([\w. -]+?)!?(?::(\d+))?$/.exec(text) ?? [];
  if (name === "" || count === "0") {
    throw keywords.invalid("gpu", `is ${text}; expected a name such as H100 or H100:2`);
  }
  const gpuCount = count === undefined ? 1 : Number(count);
  const isAny = name.toLowerCase() === "any";
  return { machineType: isAny ? "GPU" : `GPU-${name.replace(/^GPU-/i, "")}`, gpuCount };
}
