// A model's manifest: which blobs and files it is made of. Ollama's format, with one addition of
// ours: a layer may refer to a file outside the store (docs/decisions/0005).
import { isRecord } from "../../base/json.ts";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { isDigest, parseDigest } from "./digest.ts";

/** Content that lies in the store's blobs. */
export interface BlobLayer {
  mediaType: string;
  digest: string;
  sizeBytes: number;
}

/** Content that stays in a user's file. */
export interface ReferenceLayer {
  mediaType: string;
  sizeBytes: number;
  reference: FileReference;
}

/** State of a file when the model was created. */
export interface FileReference {
  /** Absolute. */
  path: string;
  /** In nanoseconds, as text: too large for a JSON number. */
  mtimeNs: string;
  inode: string;
  /** Time at which the model was created, ISO 8601. */
  since: string;
  /** Known from the beginning for small files only. */
  digest?: string;
}

export type Layer = BlobLayer | ReferenceLayer;

export interface Manifest {
  config: BlobLayer;
  layers: Layer[];
}

const layerPrefix = "application/vnd.ollama.image.";
const manifestType = "application/vnd.docker.distribution.manifest.v2+json";
export const configType = "application/vnd.docker.container.image.v1+json";

export type LayerKind =
  | "model"
  | "projector"
  | "adapter"
  | "draft"
  | "template"
  | "system"
  | "params"
  | "messages"
  | "license";

export function layerType(kind: LayerKind): string {
  return layerPrefix + kind;
}

/** Layers of one kind, in their order. */
export function layersOf(manifest: Manifest, kind: LayerKind): Layer[] {
  return manifest.layers.filter(({ mediaType }) => mediaType === layerType(kind));
}

export function isReference(layer: Layer): layer is ReferenceLayer {
  return "reference" in layer;
}

/** Digests of every blob that the manifest needs. */
export function blobsOf({ config, layers }: Manifest): string[] {
  return [config, ...layers].flatMap((layer) => (isReference(layer) ? [] : [layer.digest]));
}

export function sizeOf({ config, layers }: Manifest): number {
  return [config, ...layers].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

export function printManifest({ config, layers }: Manifest): string {
  const printed = [config, ...layers].map((layer) => {
    const { sizeBytes, ...rest } = layer;
    return { ...rest, size: sizeBytes };
  });
  const [first, ...others] = printed;
  const value = { schemaVersion: 2, mediaType: manifestType, config: first, layers: others };
  return JSON.stringify(value);
}

/**
 * @param source its path, for errors
 * @throws ProductError `STORE_MANIFEST_CORRUPT`
 */
export function parseManifest(text: string, source: string): Manifest {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || !Array.isArray(value.layers)) throw new Error("it has no layers");
    const config = readLayer(value.config);
    if (isReference(config)) throw new Error("its configuration is outside the store");
    return { config, layers: value.layers.map(readLayer) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProductError(storeErrors.manifestCorrupt, {
      message: `The manifest ${source} is damaged: ${reason}.`,
      hint: "Remove the model with: modelctl rm MODEL. Then create or pull it again.",
      cause: error,
    });
  }
}

function readLayer(value: unknown): Layer {
  if (!isRecord(value)) throw new Error("a layer is not an object");
  const { mediaType, size, reference } = value;
  if (typeof mediaType !== "string") throw new Error("a layer has no mediaType");
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
    throw new Error("a layer has no size");
  }
  if (reference !== undefined) {
    return { mediaType, sizeBytes: size, reference: readReference(reference) };
  }
  if (typeof value.digest !== "string" || !isDigest(value.digest)) {
    throw new Error("a layer has no digest");
  }
  return { mediaType, digest: parseDigest(value.digest), sizeBytes: size };
}

function readReference(value: unknown): FileReference {
  if (!isRecord(value)) throw new Error("a reference is not an object");
  const { path, mtimeNs, inode, since, digest } = value;
  const texts = { path, mtimeNs, inode, since };
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== "string" || text === "") throw new Error(`a reference has no ${name}`);
  }
  const read = texts as Record<keyof typeof texts, string>; // each was checked above
  if (digest === undefined) return read;
  if (typeof digest !== "string") throw new Error("a reference has an invalid digest");
  return { ...read, digest: parseDigest(digest) };
}
