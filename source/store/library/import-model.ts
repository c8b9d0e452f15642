// Imports models from an exported archive, and checks every blob against its digest.
import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { ProductError } from "../../base/product-error.ts";
import { refuseBuiltInName } from "../built-in-models.ts";
import { storeErrors } from "../errors.ts";
import { checkTensorData } from "../gguf/gguf-facts.ts";
import { readGguf } from "../gguf/read-gguf.ts";
import { type ModelName, modelNameOf, parseModelReference } from "../model-reference.ts";
import { requireReadableFile } from "../readable-file.ts";
import { isDigest } from "./digest.ts";
import type { TransferOptions } from "./export-model.ts";
import {
  blobsOf,
  configType,
  isReference,
  layerType,
  type Manifest,
  parseManifest,
} from "./manifest.ts";
import type { ModelStore } from "./model-store.ts";
import { readPieces } from "./read-pieces.ts";
import { locateFiles, readContent } from "./stored-content.ts";
import { type ArchiveBytes, type ReadTarEntry, readTar, TarError } from "./tar.ts";

export interface ImportOptions extends TransferOptions {
  /** The name to import under, where the archive holds one model. Defaults to its own. */
  name?: ModelName | undefined;
  /** Called for each model that would be replaced, before any is; throwing refuses. */
  onReplacing?: ((name: ModelName) => void) | undefined;
}

interface NamedManifest {
  name: ModelName;
  manifest: Manifest;
}

const longestManifestBytes = 4 * 1024 ** 2;
/** All manifests are held in memory. */
const maxManifests = 1000;
/** Limit for texts that are read as a whole: template, system prompt, messages, licence. */
const longestTextBytes = 64 * 1024 ** 2;
const textTypes: ReadonlySet<string> = new Set([
  configType,
  ...(["template", "system", "params", "messages", "license"] as const).map(layerType),
]);

/**
 * Replaces a model of the same name. Keeps nothing of a damaged archive.
 *
 * @param source absolute path of a file, or a stream of its bytes, such as a pipe
 * @returns the names of the models, usually one
 * @throws ProductError `STORE_ARCHIVE_INVALID`, `STORE_DIGEST_MISMATCH`, those of
 *   `requireReadableFile`, `STORE_MODEL_READ_ONLY` for the name of a built-in model,
 *   `STORE_DISK_FULL`
 */
export async function importModel(
  store: ModelStore,
  source: string | Readable,
  options: ImportOptions = {},
): Promise<ModelName[]> {
  const { name } = options;
  // Checks before gigabytes are read.
  if (name !== undefined) refuseBuiltInName(name, "replaced", "Choose another name.");
  const archive = await openArchive(source, options.signal);
  const written: string[] = [];
  const work = async () => {
    const found = await readArchive(store, archive, written, options);
    const manifests = await checkedManifests(store, archive, found, options);
    for (const { name } of manifests) {
      if ((await store.folder.find(name)) !== undefined) options.onReplacing?.(name);
    }
    const old: string[] = [];
    for (const { name, manifest } of manifests) {
      const replaced = await store.writeManifest(name, manifest);
      if (replaced !== undefined) old.push(...blobsOf(replaced.manifest));
    }
    return { names: manifests.map(({ name }) => name), old };
  };
  try {
    const { names, old } = await store.whileWriting(work, options.signal);
    await store.removeUnused(old);
    return names;
  } catch (error) {
    await store.removeUnused(written).catch(() => {}); // report the first error
    throw explained(error, archive.shown);
  }
}

/**
 * Returns the names of the models in an archive, read from its headers and manifests: its blobs are
 * skipped, which takes milliseconds for any size.
 *
 * @param file absolute path
 * @throws ProductError `STORE_ARCHIVE_INVALID` and those of `requireReadableFile`
 */
export async function modelsInArchive(store: ModelStore, file: string): Promise<ModelName[]> {
  await requireReadableFile(file, "an exported model");
  const handle = await open(file);
  try {
    const names: ModelName[] = [];
    for await (const entry of readTar(seekableBytes(handle))) {
      const place = placeOf(entry);
      if (place?.kind !== "manifest") continue;
      names.push((await readManifest(entry, place.parts, store.folder.hubPrefixes)).name);
    }
    return names;
  } catch (error) {
    throw explained(error, file);
  } finally {
    await handle.close();
  }
}

const headerPieceBytes = 16 * 1024;

function seekableBytes(handle: FileHandle): ArchiveBytes {
  let position = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = Buffer.alloc(headerPieceBytes);
      const { bytesRead } = await handle.read(piece, 0, piece.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }
  const skip = (count: number) => {
    position += count;
  };
  return { skip, [Symbol.asyncIterator]: pieces };
}

interface Archive {
  /** The name to use in errors. */
  shown: string;
  bytes: Readable;
  /** Undefined for a pipe. */
  sizeBytes: number | undefined;
}

async function openArchive(
  source: string | Readable,
  signal: AbortSignal | undefined,
): Promise<Archive> {
  if (typeof source !== "string") {
    return { shown: "standard input", bytes: source, sizeBytes: undefined };
  }
  const { size: sizeBytes } = await requireReadableFile(source, "an exported model");
  const bytes = readPieces(source, sizeBytes, signal);
  return { shown: source, bytes, sizeBytes };
}

/** @param written receives the digests of the blobs that were not there before */
async function readArchive(
  store: ModelStore,
  { bytes, sizeBytes: total }: Archive,
  written: string[],
  { signal, onProgress }: TransferOptions,
): Promise<NamedManifest[]> {
  let completed = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      completed += chunk.length;
      onProgress?.(completed, total);
      yield chunk;
    }
  }
  const chunks = counted();
  /** By name; if a name occurs twice, the last one wins, as in any tar program. */
  const manifests = new Map<string, NamedManifest>();
  for await (const entry of readTar(chunks)) {
    const place = placeOf(entry);
    if (place?.kind === "blob") {
      const { sizeBytes } = entry;
      const wanted = { digest: place.digest, sizeBytes, signal };
      const { digest, isNew } = await store.writeBlobFrom(entry.content, wanted);
      if (isNew) written.push(digest);
    } else if (place?.kind === "manifest") {
      const found = await readManifest(entry, place.parts, store.folder.hubPrefixes);
      manifests.set(found.name.display.toLowerCase(), found);
      if (manifests.size > maxManifests) throw new TarError("it has too many models");
    }
  }
  // Reads a pipe to its end: its writer expects that, and tar programs pad the archive.
  for await (const _ of chunks);
  if (manifests.size === 0) throw new TarError("it has no model");
  return [...manifests.values()];
}

type Place = { kind: "blob"; digest: string } | { kind: "manifest"; parts: readonly string[] };

/** @returns undefined for a folder, which other tar programs write. @throws TarError */
function placeOf({ path, isFile }: ReadTarEntry): Place | undefined {
  if (!isFile) return undefined;
  const [kind, ...parts] = path.replace(/^\.\//, "").split("/");
  const [digest = ""] = parts;
  if (kind === "blobs" && parts.length === 1 && isDigest(digest)) return { kind: "blob", digest };
  if (kind === "manifests" && parts.length === 4) return { kind: "manifest", parts };
  throw new TarError(`${JSON.stringify(path)} is not part of a model`);
}

async function readManifest(
  entry: ReadTarEntry,
  parts: readonly string[],
  hubPrefixes: readonly string[],
): Promise<NamedManifest> {
  if (entry.sizeBytes > longestManifestBytes) throw new TarError(`${entry.path} is too large`);
  const pieces: Buffer[] = [];
  for await (const piece of entry.content) pieces.push(piece);
  const [host = "", namespace = "", model = "", tag = ""] = parts;
  // Parsed like user input: no part of a path may lead out of the store.
  const { display } = modelNameOf({ host, namespace, model, tag }, hubPrefixes);
  return {
    name: readName(display, hubPrefixes),
    manifest: parseManifest(Buffer.concat(pieces).toString("utf8"), entry.path),
  };
}

/** @throws TarError */
function readName(display: string, hubPrefixes: readonly string[]): ModelName {
  const noName = (cause?: unknown) =>
    new TarError(`it names a model ${JSON.stringify(display)}, which is not a valid name`, {
      cause,
    });
  try {
    const reference = parseModelReference(display, { hubPrefixes });
    if (reference.kind === "name") return reference.name;
  } catch (error) {
    throw noName(error);
  }
  throw noName();
}

async function checkedManifests(
  store: ModelStore,
  { shown }: Archive,
  manifests: NamedManifest[],
  { name }: ImportOptions,
): Promise<NamedManifest[]> {
  const [first, ...more] = manifests;
  if (name !== undefined && (more.length > 0 || first === undefined)) {
    throw new ProductError(storeErrors.archiveInvalid, {
      message: `${shown} has ${manifests.length} models, so they cannot all be named ${name.display}.`,
      hint: "Import them under their own names.",
    });
  }
  const named = manifests.map((entry) => ({ ...entry, name: name ?? entry.name }));
  for (const entry of named) {
    refuseBuiltInName(entry.name, "replaced", "Choose another name for the import.");
  }
  for (const entry of named) await checkUsable(store, entry);
  return named;
}

/** The import may replace a model that works. */
async function checkUsable(store: ModelStore, { name, manifest }: NamedManifest): Promise<void> {
  for (const layer of [manifest.config, ...manifest.layers]) {
    if (isReference(layer)) {
      throw new TarError("one of its models refers to a file on another machine");
    }
    const { digest, mediaType, sizeBytes } = layer;
    if (textTypes.has(mediaType) && sizeBytes > longestTextBytes) {
      throw new TarError(`a text of its model '${name.display}' is too long`);
    }
    if (!(await store.hasBlob(digest))) throw new TarError(`${digest} is missing`);
    if (await store.hasBlob(digest, sizeBytes)) continue;
    throw new TarError(`${digest} is not as long as the manifest says`);
  }
  const stored = { name, manifest, folder: store.folder, path: store.folder.manifestPath(name) };
  const unread = { ...stored, digest: "", modifiedAt: new Date() };
  try {
    await readContent(unread);
    const { parts } = await locateFiles(unread, store.references);
    for (const part of parts) checkTensorData(part, await readGguf(part));
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    throw new TarError(`its model '${name.display}' cannot be used`, { cause: error });
  }
}

/** Codes of errors about the archive's content. */
const contentCodes: ReadonlySet<string> = new Set([
  storeErrors.digestMismatch.code,
  storeErrors.manifestCorrupt.code,
]);
const archiveHint =
  "Use a file written by modelctl export. If it came from another machine, copy it again.";

function explained(error: unknown, file: string): unknown {
  if (error instanceof TarError) {
    const why = error.cause instanceof ProductError ? `: ${error.cause.message}` : ".";
    return new ProductError(storeErrors.archiveInvalid, {
      message: `${file} cannot be imported: ${error.message}${why}`,
      hint: archiveHint,
      cause: error,
    });
  }
  if (error instanceof ProductError && contentCodes.has(error.code)) {
    const message = `${file} cannot be imported, because it is damaged: ${error.message}`;
    return error.reworded({ message, hint: archiveHint });
  }
  return error;
}
