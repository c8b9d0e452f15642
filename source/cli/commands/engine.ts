// modelctl engine build: builds the engine, or its extension, for this machine.
import { buildableDevices, buildEngine } from "../../application/devices/build-engine.ts";
import { buildExtension } from "../../application/devices/build-extension.ts";
import { usageError } from "../errors.ts";
import type { Run } from "../program/definition.ts";
import { withProgress } from "../with-progress.ts";
import type { toolCommands } from "./tools.definition.ts";

export const engineBuild: Run<typeof toolCommands.engineBuild> = async (_words, flags) => {
  const device = buildableDevices.find((kind) => kind === (flags.gpu ?? "cpu"));
  if (device === undefined) {
    throw usageError(
      `--gpu ${flags.gpu} is not a device.`,
      `Use one of ${buildableDevices.join(", ")}.`,
    );
  }
  const [what, build] = flags.extension
    ? (["the engine extension", buildExtension] as const)
    : (["the engine", buildEngine] as const);
  const status = `building ${what} for ${device}`;
  const file = await withProgress(flags, ({ onProgress, signal }) =>
    build(device, {
      signal,
      // The same key: one line that changes.
      onProgress: (percent) => onProgress({ status: `${status}, ${percent} %`, digest: status }),
    }),
  );
  process.stdout.write(`${file}\n`);
  process.stderr.write("Models loaded from now on use it; remove its folder to undo.\n");
};
