// The door to the image reader: native/eyes.cpp, which is compiled on this machine and works on the
// model and the context that node-llama-cpp's addon holds.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { packageFolder } from "../../base/package-folder.ts";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { DeviceKind } from "../generation.ts";
import {
  type AddonBinary,
  type AddonContext,
  type AddonModel,
  expectedAddonVersion,
  findPrebuiltBinary,
  ownBuildFolder,
} from "./addon.ts";
import { type DeviceSetting, devicesToTry, lookForDevice } from "./choose-device.ts";

/** One part of what a projector makes of an image: text tokens around it, or positions of image. */
export interface PicturePiece {
  tokens?: Uint32Array;
  tokenCount: number;
  /** Models that place images in two dimensions give them fewer positions than tokens. */
  positionCount: number;
}

/** An image that was cut as the projector wants it. */
export interface Picture {
  pieces(): PicturePiece[];
  /** Runs the image encoder on a piece; what it gives is kept with the picture. */
  encode(piece: number): Promise<void>;
  /** Puts an encoded piece into a context, in steps of at most `batchSize` tokens. */
  decode(
    piece: number,
    context: AddonContext,
    sequence: number,
    position: number,
    batchSize: number,
  ): Promise<void>;
}

export interface Eyes {
  /** Rejects with llama.cpp's reason when the projector cannot be used. */
  init(): Promise<void>;
  /** Decodes a PNG or JPEG file. */
  read(file: Uint8Array): Promise<Picture>;
}

interface EyesModule {
  Eyes: new (model: AddonModel, projectorPath: string, threads: number, usesGpu: boolean) => Eyes;
}

/** The image reader's file, in every build. */
export const eyesFileName = "eyes.node";
/** Beside it, the engine's part for this very CPU, where that was built too. */
export const cpuFileName = "libggml-cpu-own.so";

/**
 * Where the image reader for the prebuilt addon of a device may be: built by a user, or together with
 * this program.
 */
export function eyesFolders(device: DeviceKind): [users: string, ours: string] {
  const system = `${process.platform}-${process.arch}`;
  return [
    path.join(path.dirname(ownBuildFolder(device)), "eyes", device),
    path.join(packageFolder(), "native", "built", expectedAddonVersion, system, device),
  ];
}

/** The prebuilt addon, for which the image reader was built, and with it what was built beside that. */
export function findSeeingBinary(device: DeviceKind): AddonBinary | undefined {
  const binary = findPrebuiltBinary(device);
  const eyes = findEyes(device);
  if (binary === undefined || eyes === undefined) return undefined;
  const folder = path.dirname(eyes);
  const hasCpu = device === "cpu" && existsSync(path.join(folder, cpuFileName));
  return hasCpu ? { ...binary, firstBackendsFolder: folder } : binary;
}

/** The image reader's file for a device, or undefined when none was built. */
export function findEyes(device: DeviceKind): string | undefined {
  return eyesFolders(device)
    .map((folder) => path.join(folder, eyesFileName))
    .find((file) => existsSync(file));
}

/** Whether models on the device that the setting leads to can see through the text engine. */
export function hasEyes(setting: DeviceSetting): boolean {
  const kinds = setting === "auto" ? devicesToTry() : [setting];
  const first = kinds.find(
    (kind) => lookForDevice(kind).present && findPrebuiltBinary(kind) !== undefined,
  );
  return first !== undefined && findSeeingBinary(first) !== undefined;
}

/**
 * @param device for which the prebuilt addon, and no other, was loaded
 * @throws ProductError `ENGINE_PROJECTOR_UNUSABLE`
 */
export async function openEyes(
  device: DeviceKind,
  model: AddonModel,
  { projectorPath, threads }: { projectorPath: string; threads: number },
): Promise<Eyes> {
  const file = findEyes(device);
  if (file === undefined) {
    throw new ProductError(engineErrors.projectorUnusable, {
      message: `No image reader was built for ${device}, which the model runs on.`,
      hint: `Build it with modelctl engine build --vision --gpu ${device}.`,
    });
  }
  if (!existsSync(projectorPath)) {
    throw unusable(projectorPath, "it is not there");
  }
  try {
    const { Eyes } = createRequire(import.meta.url)(file) as EyesModule;
    const eyes = new Eyes(model, projectorPath, threads, device !== "cpu");
    await eyes.init();
    return eyes;
  } catch (error) {
    throw unusable(projectorPath, reasonOf(error), error);
  }
}

function unusable(projectorPath: string, why: string, cause?: unknown): ProductError {
  return new ProductError(engineErrors.projectorUnusable, {
    message: `The projector ${projectorPath} cannot be used with this model: ${why}.`,
    hint: "Use the projector that was published with the model.",
    ...(cause !== undefined && { cause }),
  });
}

/** llama.cpp's last words, without the names of its functions. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*\w+: (?:error: )?/, "").trim())
    .filter((line) => line !== "");
  return (lines[0] ?? "no reason was given").replace(/[.:]$/, "");
}
