// Stores in temporary folders, model files of every kind, and what tests do with them.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type CreateOptions, createModel } from "../../source/store/library/create-model.ts";
import type { ProgressRecord } from "../../source/store/library/layer-maker.ts";
import { ModelStore } from "../../source/store/library/model-store.ts";
import { type CatalogOptions, ModelCatalog } from "../../source/store/model-catalog.ts";
import { defineModel, type ModelDefinition } from "../../source/store/model-definition.ts";
import { type ModelName, parseModelReference } from "../../source/store/model-reference.ts";
import { repositoryFolder, tinyFile } from "./command-line.ts";
import { buildGguf, leastMetadata, text, uint16, uint32 } from "./gguf-builder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export { temporaryFolder };

export const visionFile = path.join(repositoryFolder, "media", "models", "tiny-vision.gguf");
export const projectorFile = path.join(
  repositoryFolder,
  "media",
  "models",
  "mmproj-tiny-vision.gguf",
);

export interface StoreFixture {
  /** Holds the store and whatever files a test makes. */
  folder: string;
  store: ModelStore;
  catalog: ModelCatalog;
  /** The path of a file in the folder. */
  at: (...names: string[]) => string;
  /** A copy of the tiny model under that name in the folder. */
  tinyAt: (...names: string[]) => string;
  create: (
    name: string,
    definition: Partial<ModelDefinition>,
    options?: Partial<CreateOptions>,
  ) => Promise<ProgressRecord[]>;
  /** Names of the blobs, without those of unfinished files. */
  blobs: () => string[];
  /** Everything unfinished in the store. */
  unfinished: () => string[];
}

/** @param readAtOnceBytes as in `ModelStore` */
export function openStore(
  folder = temporaryFolder(),
  options: CatalogOptions = {},
  readAtOnceBytes?: number,
): StoreFixture {
  const store = new ModelStore(path.join(folder, "models"), undefined, [], readAtOnceBytes);
  const catalog = new ModelCatalog({ store, ...options });
  const at = (...names: string[]) => {
    const file = path.join(folder, ...names);
    mkdirSync(path.dirname(file), { recursive: true });
    return file;
  };
  return {
    folder,
    store,
    catalog,
    at,
    tinyAt: (...names) => {
      copyFileSync(tinyFile, at(...names));
      return at(...names);
    },
    create: async (name, definition, options = {}) => {
      const records: ProgressRecord[] = [];
      await createModel(store, modelName(name), defineModel({ from: [], ...definition }), {
        baseFolder: folder,
        resolveName: (reference) => catalog.parentOf(reference),
        onProgress: (record) => records.push(record),
        ...options,
      });
      return records;
    },
    blobs: () => entriesOf(store.folder.blobsFolder).filter((name) => name.startsWith("sha256-")),
    unfinished: () => entriesOf(store.path).filter((name) => name.includes(".writing-")),
  };
}

export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  } catch {
    return []; // nothing has been written yet
  }
}

export function modelName(name: string): ModelName {
  const reference = parseModelReference(name);
  if (reference.kind !== "name") throw new Error(`${name} is a path`);
  return reference.name;
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

export function writeAdapter(file: string, architecture = "llama"): string {
  const metadata = {
    "general.architecture": text(architecture),
    "general.type": text("adapter"),
    "adapter.type": text("lora"),
  };
  writeFileSync(file, buildGguf({ metadata }));
  return file;
}

/** A GGUF with the facts of a model and no weights. */
export function writeModel(file: string, extra: Parameters<typeof buildGguf>[0]["metadata"] = {}) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, buildGguf({ metadata: { ...leastMetadata, ...extra } }));
  return file;
}

/** A part of a split model, without weights; only the first has the model's facts. */
export function writePart(file: string, index: number, count: number): string {
  const split = { "split.no": uint16(index), "split.count": uint16(count) };
  mkdirSync(path.dirname(file), { recursive: true });
  const metadata = index === 0 ? { ...leastMetadata, ...split } : split;
  writeFileSync(file, buildGguf({ metadata: { ...metadata, "split.tensors.count": uint32(0) } }));
  return file;
}

/** Writes a model into a folder as Ollama does. */
export function writeOllamaModel(
  folder: string,
  name: string,
  layers: Array<{ kind: string; content: string | Uint8Array }>,
  configuration: Record<string, unknown> = {},
): string {
  const write = (content: string | Uint8Array) => {
    const digest = sha256(content);
    mkdirSync(path.join(folder, "blobs"), { recursive: true });
    writeFileSync(path.join(folder, "blobs", `sha256-${digest}`), content);
    return { digest: `sha256:${digest}`, size: Buffer.byteLength(content) };
  };
  const config = {
    model_format: "gguf",
    model_family: "llama",
    model_families: ["llama"],
    model_type: "954K",
    file_type: "F16",
    architecture: "amd64",
    os: "linux",
    rootfs: { type: "layers", diff_ids: [] },
    ...configuration,
  };
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: "application/vnd.docker.distribution.manifest.v2+json",
    config: {
      mediaType: "application/vnd.docker.container.image.v1+json",
      ...write(JSON.stringify(config)),
    },
    layers: layers.map(({ kind, content }) => ({
      mediaType: `application/vnd.ollama.image.${kind}`,
      ...write(content),
    })),
  });
  const { host, namespace, model, tag } = modelName(name);
  const file = path.join(folder, "manifests", host, namespace, model, tag);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, manifest);
  return file;
}
