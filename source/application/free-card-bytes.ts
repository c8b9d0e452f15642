// Measures free graphics memory before any model is loaded: later the runners report it.
import { findAddonBinary } from "../engine/text/addon.ts";
import { type DeviceSetting, devicesToTry, lookForDevice } from "../engine/text/choose-device.ts";
import { GpuReader } from "../metrics/gpu-sample.ts";

/** Where one of these is set, the engine does not see all the cards that their tools tell of. */
const choosingVariables = [
  "CUDA_VISIBLE_DEVICES",
  "HIP_VISIBLE_DEVICES",
  "ROCR_VISIBLE_DEVICES",
  "GGML_VK_VISIBLE_DEVICES",
];

/** @returns free bytes of all GPUs together; undefined if models use none, or none reports it */
export async function freeCardBytes(
  setting: DeviceSetting,
  isUsable = canUse,
  reader: Pick<GpuReader, "read"> = new GpuReader(),
  environment: NodeJS.ProcessEnv = process.env,
): Promise<number | undefined> {
  const kinds = setting === "auto" ? devicesToTry() : [setting];
  // A Mac's graphics use the machine's own memory.
  if (!kinds.some((kind) => kind !== "cpu" && kind !== "metal" && isUsable(kind))) return undefined;
  if (choosingVariables.some((name) => environment[name] !== undefined)) return undefined;
  const free = (await reader.read()).flatMap(({ memoryTotalBytes, memoryUsedBytes }) =>
    memoryTotalBytes === undefined || memoryUsedBytes === undefined
      ? []
      : [memoryTotalBytes - memoryUsedBytes],
  );
  return free.length === 0 ? undefined : free.reduce((sum, bytes) => sum + bytes, 0);
}

function canUse(kind: Exclude<DeviceSetting, "auto">): boolean {
  return lookForDevice(kind).present && findAddonBinary(kind) !== undefined;
}
