// Reads a folder of models in Ollama's layout, ours or Ollama's own; never writes.
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { Turns } from "../../base/turns.ts";
import { storeErrors } from "../errors.ts";
import { defaultHubPrefixes, hubHosts, type ModelName, modelNameOf } from "../model-reference.ts";
import { isDigest, parseDigest } from "./digest.ts";
import { isMissing } from "./disk-errors.ts";
import { KnownFiles } from "./known-files.ts";
import { type BlobLayer, blobsOf, type Manifest, parseManifest } from "./manifest.ts";

/** The store that a model is in: only our own is ever written. */
export type StoreKind = "modelctl" | "ollama" | "lm-studio";

/** A manifest that exists and has not been read yet. */
export interface ManifestFile {
  /** In its letter case on disk. */
  name: ModelName;
  path: string;
}

/** A manifest that has been read. */
export interface StoredManifest extends ManifestFile {
  folder: ModelFolder;
  manifest: Manifest;
  /** SHA-256 of the manifest file, 64 hex digits. */
  digest: string;
  modifiedAt: Date;
}

export class ModelFolder {
  readonly path: string;
  readonly kind: Exclude<StoreKind, "lm-studio">;
  readonly hubPrefixes: readonly string[];
  readonly #manifests = new KnownFiles<Omit<StoredManifest, keyof ManifestFile | "folder">>();
  readonly #texts = new KnownFiles<{ text: string; sizeBytes: number }>();

  constructor(
    folder: string,
    kind: ModelFolder["kind"],
    hubPrefixes: readonly string[] = defaultHubPrefixes,
  ) {
    this.path = folder;
    this.kind = kind;
    this.hubPrefixes = hubPrefixes;
  }

  get blobsFolder(): string {
    return path.join(this.path, "blobs");
  }

  get manifestsFolder(): string {
    return path.join(this.path, "manifests");
  }

  /** @throws ProductError `STORE_DIGEST_INVALID` */
  blobPath(digest: string): string {
    return path.join(this.blobsFolder, parseDigest(digest).replace(":", "-"));
  }

  /** The digest of a blob of this folder, given its path; undefined for any other file. */
  blobDigest(file: string): string | undefined {
    const name = path.basename(file);
    const isBlob = path.dirname(file) === this.blobsFolder && isDigest(name);
    return isBlob ? parseDigest(name) : undefined;
  }

  manifestPath({ host, namespace, model, tag }: ModelName): string {
    return path.join(this.manifestsFolder, host, namespace, model, tag);
  }

  /** The manifest of that name in any letter case. */
  async find(name: ModelName): Promise<ManifestFile | undefined> {
    const exact = this.manifestPath(name);
    const facts = await stat(exact).catch(() => undefined);
    if (facts?.isFile()) return { name, path: exact };
    // Ollama stores a hub model under the host name that was typed.
    const hosts = name.isHub ? hubHosts(this.hubPrefixes) : [name.host];
    for (const host of hosts) {
      const parts = await this.#findParts([], [host, name.namespace, name.model, name.tag]);
      if (parts !== undefined) return this.#manifestFile(parts);
    }
    return undefined;
  }

  /** Several folders may differ only in letter case; any of them may have the file. */
  async #findParts(
    kept: readonly string[],
    wanted: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const [part, ...rest] = wanted;
    if (part === undefined) return kept;
    const entries = namesIn(path.join(this.manifestsFolder, ...kept));
    for (const entry of entries) {
      if (entry.toLowerCase() !== part.toLowerCase()) continue;
      const found = await this.#findParts([...kept, entry], rest);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * All manifests, in no order; none if the folder does not exist.
   *
   * @throws ProductError `STORE_NOT_WRITABLE` when it is a file
   */
  async files(): Promise<ManifestFile[]> {
    await this.#refuseFile();
    const root = this.manifestsFolder;
    const turns = new Turns();
    let found: string[][] = [[]];
    for (let depth = 0; depth < 4; depth += 1) {
      const deeper: string[][] = [];
      for (const parts of found) {
        for (const name of namesIn(path.join(root, ...parts))) deeper.push([...parts, name]);
        await turns.next();
      }
      found = deeper;
    }
    return found.map((parts) => this.#manifestFile(parts));
  }

  /** A file would look like an empty store. */
  async #refuseFile(): Promise<void> {
    const facts = await stat(this.path).catch(() => undefined);
    if (facts === undefined || facts.isDirectory()) return;
    throw new ProductError(storeErrors.notWritable, {
      message: `The store ${this.path} is a file, not a folder.`,
      hint: "Move the file, or choose another folder.",
    });
  }

  /** @throws ProductError `STORE_MANIFEST_CORRUPT` */
  async read(file: ManifestFile): Promise<StoredManifest> {
    try {
      const content = await this.#manifests.read(file.path, (bytes, { mtime }) => ({
        manifest: parseManifest(bytes.toString("utf8"), file.path),
        digest: createHash("sha256").update(bytes).digest("hex"),
        modifiedAt: mtime,
      }));
      return { ...file, folder: this, ...content };
    } catch (error) {
      if (error instanceof ProductError) throw error;
      throw unreadable(`The manifest ${file.path}`, error);
    }
  }

  /**
   * Returns the path of a layer's blob.
   *
   * @throws ProductError `STORE_BLOB_MISSING`
   */
  async locate({ digest, sizeBytes }: BlobLayer, model: ModelName): Promise<string> {
    const file = this.blobPath(digest);
    const size = await stat(file).then(
      (facts) => facts.size,
      (error: unknown) => {
        if (isMissing(error)) return undefined;
        throw unreadable(`The file ${file}`, error);
      },
    );
    if (size === sizeBytes) return file;
    throw damaged(model, file, size, sizeBytes);
  }

  /** @throws ProductError `STORE_BLOB_MISSING`, `STORE_MANIFEST_CORRUPT` */
  async readText(layer: BlobLayer, model: ModelName): Promise<string> {
    const file = this.blobPath(layer.digest);
    const found = await this.#texts.read(file, textWithSize).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw unreadable(`The file ${file} of the model '${model.display}'`, error);
    });
    if (found?.sizeBytes === layer.sizeBytes) return found.text;
    throw damaged(model, file, found?.sizeBytes, layer.sizeBytes);
  }

  #manifestFile(parts: readonly string[]): ManifestFile {
    const [host = "", namespace = "", model = "", tag = ""] = parts;
    return {
      name: modelNameOf({ host, namespace, model, tag }, this.hubPrefixes),
      path: path.join(this.manifestsFolder, ...parts),
    };
  }

  /** The digests that manifests need, and the manifests that cannot be read. */
  async neededBlobs(): Promise<{
    digests: Set<string>;
    manifests: StoredManifest[];
    damaged: string[];
  }> {
    const manifests: StoredManifest[] = [];
    const damaged: string[] = [];
    for (const file of await this.files()) {
      const manifest = await this.read(file).catch(() => undefined);
      if (manifest === undefined) damaged.push(file.path);
      else manifests.push(manifest);
    }
    const digests = new Set(manifests.flatMap(({ manifest }) => blobsOf(manifest)));
    return { digests, manifests, damaged };
  }
}

/** The entries of a folder; none when it is not a folder. Unfinished files begin with a dot. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith("."));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function textWithSize(bytes: Buffer) {
  return { text: bytes.toString("utf8"), sizeBytes: bytes.length };
}

/** @param found size of the blob in bytes; undefined if it is missing */
function damaged(
  model: ModelName,
  file: string,
  found: number | undefined,
  sizeBytes: number,
): ProductError {
  return new ProductError(storeErrors.blobMissing, {
    message:
      found === undefined
        ? `The model '${model.display}' is incomplete: its file ${file} is missing.`
        : `The model '${model.display}' is damaged: its file ${file} has ${found} bytes instead of ${sizeBytes}.`,
    hint: "Pull or create the model again.",
  });
}

function unreadable(what: string, cause: unknown): ProductError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ProductError(storeErrors.manifestCorrupt, {
    message: `${what} cannot be read: ${reason}.`,
    hint: "Check its permissions, or create or pull the model again.",
    cause,
  });
}
