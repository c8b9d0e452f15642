// Creates the layers of a new model, and reports each.
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { copyIntoStore } from "./copy-file.ts";
import { digestOfFile } from "./digest.ts";
import { type FileState, stateOf, type TouchedFile } from "./file-state.ts";
import {
  type BlobLayer,
  configType,
  isReference,
  type Layer,
  type LayerKind,
  layerType,
} from "./manifest.ts";
import type { ModelConfiguration } from "./model-details.ts";
import type { ModelFile } from "./model-file.ts";
import type { StoredManifest } from "./model-folder.ts";
import type { ModelStore, WrittenBlob } from "./model-store.ts";
import type { ReferenceTracker } from "./reference-tracker.ts";
import { locateLayer } from "./stored-content.ts";

/** One record of `/api/create`. */
export interface ProgressRecord {
  status: string;
  digest?: string;
  /** Bytes. */
  total?: number;
  completed?: number;
  /** Our addition: the same for all files of a download. */
  overall_total?: number;
  overall_completed?: number;
}

export interface LayerMakerOptions {
  /** Copies files into the store instead of referring to them. */
  copy: boolean;
  onProgress: (progress: ProgressRecord) => void;
  signal: AbortSignal | undefined;
}

/** Size from which a layer of an unknown kind is referred to, like weights. */
const smallBytes = 1024 ** 2;

export class LayerMaker {
  /** Digests of the blobs that were not there before. */
  readonly written = new Set<string>();
  readonly #store: ModelStore;
  readonly #options: LayerMakerOptions;

  constructor(store: ModelStore, options: LayerMakerOptions) {
    this.#store = store;
    this.#options = options;
  }

  get references(): ReferenceTracker {
    return this.#store.references;
  }

  async text(kind: LayerKind, content: string): Promise<Layer> {
    return this.#blob(layerType(kind), await this.#store.writeBlob(content));
  }

  async configuration(configuration: ModelConfiguration): Promise<BlobLayer> {
    return this.#blob(configType, await this.#store.writeBlob(JSON.stringify(configuration)));
  }

  /**
   * Takes over a blob written for this model; it is removed if creating the model fails. Returns
   * its path.
   */
  adopt({ digest, isNew }: WrittenBlob): string {
    if (isNew) this.written.add(digest);
    return this.#store.blobPath(digest);
  }

  /** @param copy overrides the option */
  async file(kind: LayerKind, file: ModelFile, copy = this.#options.copy): Promise<Layer> {
    const mediaType = layerType(kind);
    const { sizeBytes } = file.state;
    const own = await this.#ownDigest(file.path);
    if (own !== undefined) {
      return this.#blob(mediaType, { digest: own, sizeBytes, isNew: this.written.has(own) });
    }
    if (copy) return this.#blob(mediaType, await this.#copy(file.path, sizeBytes));
    const digest =
      sizeBytes < this.#store.references.readAtOnceBytes
        ? await digestOfFile(file.path, { signal: this.#options.signal })
        : undefined;
    return this.#reference(mediaType, file.path, file.state, digest);
  }

  /**
   * Returns the digest of a file that is one of our blobs, also through a link: a reference to it
   * would break when the blob's last model is removed.
   */
  async #ownDigest(file: string): Promise<string | undefined> {
    const { folder } = this.#store;
    const named = folder.blobDigest(file);
    if (named !== undefined) return named;
    const [real, blobs] = await Promise.all([realpath(file), realpath(folder.blobsFolder)]);
    if (path.dirname(real) !== blobs) return undefined;
    return folder.blobDigest(path.join(folder.blobsFolder, path.basename(real)));
  }

  /** Returns the checked layer of another model; refers to large files of another store. */
  async inherit(layer: Layer, parent: StoredManifest): Promise<Layer> {
    const { path: file, touched } = await locateLayer(layer, parent, this.#store.references);
    if (touched !== undefined) await this.check(touched);
    const isOurs = parent.folder.path === this.#store.path;
    if (isReference(layer)) {
      if (this.#options.copy) {
        return this.#blob(layer.mediaType, await this.#copy(file, layer.sizeBytes));
      }
      this.#report(`referring to ${file}`);
      return layer;
    }
    const { mediaType, digest, sizeBytes } = layer;
    if (isOurs) return this.#blob(mediaType, { digest, sizeBytes, isNew: false });
    if (sizeBytes < smallBytes) {
      return this.#blob(mediaType, await this.#store.writeBlob(await readFile(file)));
    }
    if (this.#options.copy) return this.#blob(mediaType, await this.#copy(file, sizeBytes, digest));
    return this.#reference(mediaType, file, await stateOf(file), digest);
  }

  /** Checks a touched file of another model, and reports progress. */
  async check({ path: file, sizeBytes: total, check }: TouchedFile): Promise<void> {
    const { onProgress, signal } = this.#options;
    const status = `checking ${path.basename(file)}`;
    await check({ signal, onBytes: (completed) => onProgress({ status, total, completed }) });
  }

  async #copy(file: string, total: number, digest?: string): Promise<WrittenBlob> {
    const { signal } = this.#options;
    const status = `copying ${path.basename(file)}`;
    this.#options.onProgress({ status, total, completed: 0 });
    return await copyIntoStore(this.#store, file, {
      digest,
      signal,
      onBytes: (completed) => this.#options.onProgress({ status, total, completed }),
    });
  }

  #blob(mediaType: string, { digest, sizeBytes, isNew }: WrittenBlob): BlobLayer {
    if (isNew) this.written.add(digest);
    this.#report(`${isNew ? "creating new" : "using existing"} layer ${digest}`);
    return { mediaType, digest, sizeBytes };
  }

  #reference(
    mediaType: string,
    file: string,
    { sizeBytes, mtimeNs, inode }: FileState,
    digest: string | undefined,
  ): Layer {
    const later = digest === undefined ? ", whose hash a server computes in the background" : "";
    this.#report(`referring to ${file}${later}`);
    const since = new Date().toISOString();
    const known = digest !== undefined && { digest };
    return { mediaType, sizeBytes, reference: { path: file, mtimeNs, inode, since, ...known } };
  }

  #report(status: string): void {
    this.#options.signal?.throwIfAborted();
    this.#options.onProgress({ status });
  }
}
