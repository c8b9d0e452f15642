// Exports a model with all its files to one archive, for another machine.
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, readdir, realpath, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ProductError } from "../../base/product-error.ts";
import { isOlder, unfinishedMaxAgeMs } from "../../base/unfinished-files.ts";
import { storeErrors } from "../errors.ts";
import type { ModelCatalog } from "../model-catalog.ts";
import { explainingDiskErrors, isMissing, requireRoom } from "./disk-errors.ts";
import { type BlobLayer, isReference, type Layer, printManifest, sizeOf } from "./manifest.ts";
import type { StoredManifest } from "./model-folder.ts";
import type { ModelStore } from "./model-store.ts";
import { readPieces } from "./read-pieces.ts";
import { locateLayer } from "./stored-content.ts";
import { type TarEntry, writeTar } from "./tar.ts";
import { moveIntoPlace, synchronise } from "./write-atomically.ts";

export interface TransferOptions {
  signal?: AbortSignal | undefined;
  /** Called with the bytes done and the total, if it is known. */
  onProgress?: ((completed: number, total: number | undefined) => void) | undefined;
}

export interface ExportOptions extends TransferOptions {
  /** Called while a large file of unknown hash is read, before it is written. */
  onHashed?: ((completed: number, total: number) => void) | undefined;
}

const partialMark = "-partial-";

/** A blob of the archive and the file it comes from. */
interface ExportedBlob {
  layer: BlobLayer;
  file: string;
}

/**
 * The archive has a store's layout, so any tar program can unpack it into an empty store, including
 * Ollama's. Files that the model refers to become blobs.
 *
 * @param reference a model of our store or of Ollama's
 * @param target absolute path of a file, written completely or not at all, replacing an existing
 *   one; or a stream, such as a pipe, which is not closed
 * @throws ProductError `STORE_MODEL_NOT_FOUND`, `STORE_MODEL_READ_ONLY` for a built-in model,
 *   `STORE_NAME_INVALID` for a file, `STORE_FILE_IS_MODEL`, `STORE_FILE_IS_DIRECTORY`,
 *   `STORE_FILE_NOT_REGULAR`, `STORE_DISK_FULL`, and errors of the model's files
 */
export async function exportModel(
  catalog: ModelCatalog,
  store: ModelStore,
  reference: string,
  target: string | Writable,
  options: ExportOptions = {},
): Promise<void> {
  const stored = await exportable(catalog, reference);
  const write = await writerTo(target, sizeOf(stored.manifest));
  await store.whileReading(async () => {
    const blobs = await blobsToExport(stored, store, options);
    await write(writeTar(entriesOf(stored, blobs, options)));
  }, options.signal);
}

type ArchiveWriter = (bytes: AsyncGenerator<Uint8Array>) => Promise<void>;

async function writerTo(target: string | Writable, sizeBytes: number): Promise<ArchiveWriter> {
  if (typeof target !== "string") return (bytes) => pipeline(bytes, target, { end: false });
  const file = await replaceable(target);
  // Checks before gigabytes are read; an older export stays until the new one is complete.
  await requireRoom(path.dirname(file), sizeBytes);
  return (bytes) => writeArchive(file, bytes);
}

async function writeArchive(file: string, bytes: AsyncGenerator<Uint8Array>): Promise<void> {
  const unfinished = `${file}${partialMark}${randomBytes(4).toString("hex")}`;
  await explainingDiskErrors(path.dirname(file), async () => {
    try {
      await removeAbandoned(file);
      await pipeline(bytes, createWriteStream(unfinished, { flags: "wx" }));
      await synchronise(unfinished);
      await moveIntoPlace(unfinished, file);
    } catch (error) {
      throw isMissing(error) ? noFolder(file, error) : error;
    } finally {
      await rm(unfinished, { force: true });
    }
  });
}

/** Removes the unfinished file of an export that was killed. */
async function removeAbandoned(file: string): Promise<void> {
  const folder = path.dirname(file);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(path.basename(file) + partialMark)) continue;
    const leftover = path.join(folder, name);
    if (await isOlder(leftover, unfinishedMaxAgeMs)) await rm(leftover, { force: true });
  }
}

/** Returns the file to write, which is missing or may be replaced; follows a link. */
async function replaceable(file: string): Promise<string> {
  const facts = await stat(file).catch(() => undefined);
  if (facts === undefined) return file;
  if (facts.isFile()) {
    if (await isGguf(file)) throw wouldReplaceModel(file);
    return await realpath(file);
  }
  // Renaming a file into place would replace the device.
  throw new ProductError(
    facts.isDirectory() ? storeErrors.fileIsDirectory : storeErrors.fileNotRegular,
    {
      message: `${file} is a ${facts.isDirectory() ? "directory" : "pipe, a socket or a device"}; a model is exported to a file.`,
      hint: "Name a file, such as model.tar, or - for standard output.",
    },
  );
}

/** Returns false for an unreadable file. */
async function isGguf(file: string): Promise<boolean> {
  const handle = await open(file, "r").catch(() => undefined);
  try {
    const { buffer } = (await handle?.read(Buffer.alloc(4), 0, 4, 0)) ?? {};
    return buffer?.toString("latin1") === "GGUF";
  } finally {
    await handle?.close();
  }
}

/** The target may be the only copy of the weights being exported. */
function wouldReplaceModel(file: string): ProductError {
  return new ProductError(storeErrors.fileIsModel, {
    message: `Refusing to overwrite ${file}: it is a model file.`,
    hint: "Name another file, such as model.tar.",
  });
}

async function exportable(catalog: ModelCatalog, reference: string): Promise<StoredManifest> {
  const parsed = catalog.parse(reference);
  if (parsed.kind === "file") {
    throw new ProductError(storeErrors.nameInvalid, {
      message: `${reference} is a file, not a model of the store.`,
      hint: "Copy the file itself, or create a model from it and export that.",
      param: "model",
    });
  }
  const found = await catalog.find(parsed.name);
  if (found?.kind === "stored") return found.stored;
  if (found === undefined) throw catalog.notFound(reference);
  if (found.kind === "files") {
    throw new ProductError(storeErrors.modelReadOnly, {
      message: `The model '${reference}' is in LM Studio's folder and has no manifest to export.`,
      hint: `Copy it under a new name, then export that: modelctl cp ${reference} NAME`,
      param: "model",
    });
  }
  throw new ProductError(storeErrors.modelReadOnly, {
    message: `The model '${reference}' is built in and need not be exported.`,
    hint: "It is available wherever the program is installed.",
    param: "model",
  });
}

async function blobsToExport(
  stored: StoredManifest,
  store: ModelStore,
  { signal, onHashed }: ExportOptions,
): Promise<ExportedBlob[]> {
  const layers: Layer[] = [stored.manifest.config, ...stored.manifest.layers];
  const blobs: ExportedBlob[] = [];
  for (const layer of layers) {
    const { mediaType, sizeBytes } = layer;
    const onBytes = (completed: number) => onHashed?.(completed, sizeBytes);
    const { path: file, touched } = await locateLayer(layer, stored, store.references);
    await touched?.check({ signal, onBytes });
    const digest = isReference(layer)
      ? await store.references.digest(layer, stored.name, { signal, onBytes })
      : layer.digest;
    blobs.push({ file, layer: { mediaType, digest, sizeBytes } });
  }
  return blobs;
}

async function* entriesOf(
  stored: StoredManifest,
  blobs: readonly ExportedBlob[],
  { signal, onProgress }: TransferOptions,
): AsyncGenerator<TarEntry> {
  const [config, ...layers] = blobs.map(({ layer }) => layer);
  if (config === undefined) throw new Error("a model has a configuration");
  const total = sizeOf({ config, layers });
  let completed = 0;
  async function* counted(file: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
    const chunks = readPieces(file, sizeBytes, signal);
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      completed += chunk.length;
      onProgress?.(completed, total);
      yield chunk;
    }
  }
  const { modifiedAt } = stored;
  const seen = new Set<string>();
  for (const { file, layer } of blobs) {
    const { digest, sizeBytes } = layer;
    if (seen.has(digest)) continue;
    seen.add(digest);
    const name = `blobs/${digest.replace(":", "-")}`;
    yield { path: name, sizeBytes, modifiedAt, content: counted(file, sizeBytes) };
  }
  // Last, so that unpacking never leaves a manifest without its blobs.
  const manifest = Buffer.from(printManifest({ config, layers }));
  const { host, namespace, model, tag } = stored.name;
  yield {
    path: ["manifests", host, namespace, model, tag].join("/"),
    sizeBytes: manifest.length,
    modifiedAt,
    content: once(manifest),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function noFolder(file: string, cause: unknown): ProductError {
  return new ProductError(storeErrors.fileMissing, {
    message: `${file} cannot be written: the folder ${path.dirname(file)} does not exist.`,
    hint: "Create the folder, or choose another one.",
    cause,
  });
}
