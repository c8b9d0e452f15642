// Reads a stored model's texts and parameters, and locates its weights.
import { isRecord } from "../../base/json.ts";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { StoredMessage } from "../model-definition.ts";
import type { ModelParameters } from "../model-parameters.ts";
import { parseParameters, sortParameters } from "../parameter-values.ts";
import type { TouchedFile } from "./file-state.ts";
import { isReference, type Layer, type LayerKind, layersOf } from "./manifest.ts";
import { type ModelConfiguration, parseConfiguration } from "./model-details.ts";
import type { StoredManifest } from "./model-folder.ts";
import type { ReferenceTracker } from "./reference-tracker.ts";

/** The texts and values of a model. */
export interface ModelContent {
  configuration: ModelConfiguration;
  template: string | undefined;
  system: string | undefined;
  messages: StoredMessage[];
  licenses: string[];
  parameters: ModelParameters;
  otherValues: Record<string, unknown>;
}

/** Absolute paths. */
export interface ModelPaths {
  /** One, or all of a split model in order. */
  parts: string[];
  projectors: string[];
  adapters: string[];
  drafts: string[];
}

/** @throws ProductError `STORE_BLOB_MISSING`, `STORE_MANIFEST_CORRUPT` */
export async function readContent(stored: StoredManifest): Promise<ModelContent> {
  const texts = async (kind: LayerKind) =>
    await Promise.all(layersOf(stored.manifest, kind).map((layer) => textOf(layer, stored)));
  const last = async (kind: LayerKind) => (await texts(kind)).at(-1) || undefined;
  const [parameters, messages] = [await last("params"), await last("messages")];
  return {
    configuration: await readConfiguration(stored),
    template: await last("template"),
    system: await last("system"),
    messages: messages === undefined ? [] : read(stored, "messages", messages, parseMessages),
    licenses: await texts("license"),
    ...sortParameters(
      parameters === undefined ? {} : read(stored, "parameters", parameters, parseParameters),
    ),
  };
}

/** @throws ProductError `STORE_BLOB_MISSING`, `STORE_MANIFEST_CORRUPT` */
export async function readConfiguration(stored: StoredManifest): Promise<ModelConfiguration> {
  const text = await textOf(stored.manifest.config, stored);
  return read(stored, "configuration", text, parseConfiguration);
}

/**
 * @returns also the files that users of their content must check
 * @throws ProductError `STORE_BLOB_MISSING`, `STORE_REFERENCE_MISSING`, `STORE_REFERENCE_CHANGED`,
 *   `STORE_FORMAT_UNSUPPORTED`
 */
export async function locateFiles(
  stored: StoredManifest,
  references: ReferenceTracker,
): Promise<ModelPaths & { touched: TouchedFile[] }> {
  const touched: TouchedFile[] = [];
  const files = async (kind: LayerKind) => {
    const layers = layersOf(stored.manifest, kind);
    const located = layers.map((layer) => locateLayer(layer, stored, references));
    const found = await Promise.all(located);
    touched.push(...found.flatMap((file) => file.touched ?? []));
    return found.map((file) => file.path);
  };
  const parts = await files("model");
  if (parts.length === 0) {
    throw new ProductError(storeErrors.formatUnsupported, {
      message: `The model '${stored.name.display}' has no GGUF weights on this machine: it is in another format, or in Ollama's cloud.`,
      hint: "Pull a GGUF of the model.",
    });
  }
  return {
    parts,
    projectors: await files("projector"),
    adapters: await files("adapter"),
    drafts: await files("draft"),
    touched,
  };
}

/** Paths of the files when the model was created; not checked. */
export function recordedFiles({ folder, manifest }: StoredManifest): ModelPaths {
  const files = (kind: LayerKind) =>
    layersOf(manifest, kind).map((layer) =>
      isReference(layer) ? layer.reference.path : folder.blobPath(layer.digest),
    );
  return {
    parts: files("model"),
    projectors: files("projector"),
    adapters: files("adapter"),
    drafts: files("draft"),
  };
}

export interface LocatedLayer {
  /** Absolute. */
  path: string;
  /** The same file, if it must be read to know whether it has changed. */
  touched?: TouchedFile | undefined;
}

/** Locates a layer's content, which exists. */
export async function locateLayer(
  layer: Layer,
  { folder, name }: StoredManifest,
  references: ReferenceTracker,
): Promise<LocatedLayer> {
  if (!isReference(layer)) return { path: await folder.locate(layer, name) };
  return { path: layer.reference.path, touched: await references.verify(layer, name) };
}

async function textOf(layer: Layer, { folder, name, path }: StoredManifest): Promise<string> {
  if (!isReference(layer)) return await folder.readText(layer, name);
  throw corrupt(path, "a text is outside the store", undefined);
}

function read<T>(
  { path }: StoredManifest,
  what: string,
  text: string,
  parse: (text: string) => T,
): T {
  try {
    return parse(text);
  } catch (error) {
    throw corrupt(path, `its ${what} cannot be read`, error);
  }
}

function corrupt(manifest: string, reason: string, cause: unknown): ProductError {
  return new ProductError(storeErrors.manifestCorrupt, {
    message: `The model with the manifest ${manifest} is damaged: ${reason}.`,
    hint: "Remove the model with: modelctl rm MODEL. Then create or pull it again.",
    cause,
  });
}

const roles: ReadonlySet<unknown> = new Set(["system", "user", "assistant"]);

function parseMessages(text: string): StoredMessage[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new Error("the messages are not a list");
  return value.map((item: unknown) => {
    if (!isRecord(item) || !roles.has(item.role) || typeof item.content !== "string") {
      throw new Error("a message has no role or no content");
    }
    // The role was checked above.
    return { role: item.role as StoredMessage["role"], content: item.content };
  });
}
