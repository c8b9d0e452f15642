// Interface to the image reader: native/image-reader.cpp, which is compiled on this machine and works on the
// model and context of node-llama-cpp's addon.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { packageFolder } from "../../base/package-facts.ts";
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

/** Part of an image after preprocessing: text tokens around it, or image positions. */
export interface PicturePiece {
  tokens?: Uint32Array;
  tokenCount: number;
  /** Fewer than the tokens in models that place images in two dimensions. */
  positionCount: number;
}

/** Image that was split as the projector needs it. */
export interface Picture {
  pieces(): PicturePiece[];
  /** Runs the image encoder on a piece; the picture keeps the result. */
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

export interface ImageReader {
  /** Rejects with llama.cpp's reason if the projector is unusable. */
  init(): Promise<void>;
  /** Decodes a PNG or JPEG file. */
  read(file: Uint8Array): Promise<Picture>;
}

interface NativeModule {
  ImageReader: new (
    model: AddonModel,
    projectorPath: string,
    threads: number,
    usesGpu: boolean,
  ) => ImageReader;
}

/** File name of the image reader in every build. */
export const imageReaderFileName = "image-reader.node";
/** CPU backend for this machine's CPU, if it was built next to the image reader. */
export const cpuFileName = "libggml-cpu-own.so";

/** Folders of the image reader for a device's prebuilt addon: the user's build, then the package's. */
export function imageReaderFolders(device: DeviceKind): [users: string, ours: string] {
  const system = `${process.platform}-${process.arch}`;
  return [
    path.join(path.dirname(ownBuildFolder(device)), "image-reader", device),
    path.join(packageFolder(), "native", "built", expectedAddonVersion, system, device),
  ];
}

/** Finds the prebuilt addon if an image reader was built for it, with its backends. */
export function findVisionBinary(device: DeviceKind): AddonBinary | undefined {
  const binary = findPrebuiltBinary(device);
  const reader = findImageReader(device);
  if (binary === undefined || reader === undefined) return undefined;
  const folder = path.dirname(reader);
  const hasCpu = device === "cpu" && existsSync(path.join(folder, cpuFileName));
  return hasCpu ? { ...binary, firstBackendsFolder: folder } : binary;
}

/** Finds the image reader's file for a device; undefined if none was built. */
export function findImageReader(device: DeviceKind): string | undefined {
  return imageReaderFolders(device)
    .map((folder) => path.join(folder, imageReaderFileName))
    .find((file) => existsSync(file));
}

/** Returns true if the text engine supports vision on the device that the setting selects. */
export function hasImageReader(setting: DeviceSetting): boolean {
  const kinds = setting === "auto" ? devicesToTry() : [setting];
  const first = kinds.find(
    (kind) => lookForDevice(kind).present && findPrebuiltBinary(kind) !== undefined,
  );
  return first !== undefined && findVisionBinary(first) !== undefined;
}

/**
 * @param device whose prebuilt addon was loaded; no other build works
 * @throws ProductError `ENGINE_PROJECTOR_UNUSABLE`
 */
export async function openImageReader(
  device: DeviceKind,
  model: AddonModel,
  { projectorPath, threads }: { projectorPath: string; threads: number },
): Promise<ImageReader> {
  const file = findImageReader(device);
  if (file === undefined) {
    throw new ProductError(engineErrors.projectorUnusable, {
      message: `No image reader is built for ${device}, the device that the model runs on.`,
      hint: `Build it with modelctl engine build --vision --gpu ${device}.`,
    });
  }
  if (!existsSync(projectorPath)) {
    throw unusable(projectorPath, "the file does not exist");
  }
  try {
    const { ImageReader } = createRequire(import.meta.url)(file) as NativeModule;
    const reader = new ImageReader(model, projectorPath, threads, device !== "cpu");
    await reader.init();
    return reader;
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

/** Returns llama.cpp's first log line without function names. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*\w+: (?:error: )?/, "").trim())
    .filter((line) => line !== "");
  return (lines[0] ?? "no reason was given").replace(/[.:]$/, "");
}
