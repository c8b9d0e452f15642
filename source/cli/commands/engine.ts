// modelctl engine build: the engine, built for this very machine.
import { buildableDevices, buildEngine } from "../../application/build-engine.ts";
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { withProgress } from "../with-progress.ts";

export async function engine(words: string[], flags: Flags): Promise<number> {
  if (words[0] !== "build" || words.length > 1) {
    throw usageError("engine knows one word: build.", "modelctl engine build [--gpu DEVICE]");
  }
  const device = buildableDevices.find((kind) => kind === (flags.gpu ?? "cpu"));
  if (device === undefined) {
    throw usageError(
      `--gpu ${flags.gpu} is no device.`,
      `Use one of ${buildableDevices.join(", ")}.`,
    );
  }
  const status = `building the engine for ${device}`;
  const file = await withProgress(flags, ({ onProgress, signal }) =>
    buildEngine(device, {
      signal,
      // The same key: one line that changes.
      onProgress: (percent) => onProgress({ status: `${status}, ${percent} %`, digest: status }),
    }),
  );
  process.stdout.write(`${file}\n`);
  process.stderr.write(
    "Models that are loaded from now on use it; remove its folder to go back.\n",
  );
  return exitCodes.ok;
}
