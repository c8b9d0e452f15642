// Our own model store: writes blobs and manifests under locks.
import { rm, rmdir, stat } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { makeFolder } from "../../base/make-folder.ts";
import { ProductError } from "../../base/product-error.ts";
import { unfinishedIn, unfinishedPath } from "../../base/unfinished-files.ts";
import { storeErrors } from "../errors.ts";
import type { ModelName } from "../model-reference.ts";
import { checkDigest, checkStream, digestOf, type WriteOptions, writeStream } from "./digest.ts";
import { explainingDiskErrors, refuseForeignStore, requireRoom } from "./disk-errors.ts";
import { LockFolder } from "./lock-folder.ts";
import { type Manifest, parseManifest, printManifest } from "./manifest.ts";
import { type ManifestFile, ModelFolder, type StoredManifest } from "./model-folder.ts";
import { ReferenceTracker } from "./reference-tracker.ts";
import { ReleasedBlobs, setBlobTime } from "./released-blobs.ts";
import { moveIntoPlace, writeFileAtomically } from "./write-atomically.ts";

/** A download's view of the store: paths of blobs, and a lock for writing one. */
export interface BlobFolder {
  /**
   * Path of the complete blob of a digest (`sha256:` and 64 hex digits). A download keeps
   * unfinished bytes at this path plus `-partial`, and its notes at `-partial.json`.
   */
  blobPath(digest: string): string;
  /** Paths of the same content in other stores on this machine, which are never written. */
  blobPathsElsewhere(digest: string): string[];
  /**
   * Runs the work while no other caller, in any process, holds the lock of that name. The lock ends
   * with the work or the process, even a killed one. It is not re-entrant.
   */
  withLock<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export interface WrittenBlob {
  /** `sha256:` and 64 hex digits. */
  digest: string;
  sizeBytes: number;
  /** False when the store had this content already. */
  isNew: boolean;
}

// Writers share this lock from the first blob to the manifest that needs it; code that removes
// blobs holds it exclusively. So no blob is removed between being found and being needed, and the
// holder knows that the unfinished files it finds are abandoned.
const writersLock = "writers";
/** Held briefly, while a manifest is written or removed. */
const manifestsLock = "manifests";
const namedLock = (name: string) => `named ${name}`;

export class ModelStore implements BlobFolder {
  readonly folder: ModelFolder;
  readonly references: ReferenceTracker;
  readonly locks: LockFolder;
  readonly #others: readonly ModelFolder[];
  readonly #released: ReleasedBlobs;

  /**
   * @param folder created with its first content
   * @param otherFolders of other stores in the same layout, which need not exist; never written,
   *   even if our own folder is one of them
   * @param readAtOnceBytes size from which a referenced file is hashed later
   */
  constructor(
    folder: string,
    hubPrefixes?: readonly string[],
    otherFolders: readonly string[] = [],
    readAtOnceBytes?: number,
  ) {
    this.#others = otherFolders.map((other) => new ModelFolder(other, "ollama", hubPrefixes));
    this.folder = new ModelFolder(folder, "modelctl", hubPrefixes);
    this.#released = new ReleasedBlobs(this.folder);
    this.references = new ReferenceTracker(path.join(folder, "references"), readAtOnceBytes);
    this.locks = new LockFolder(path.join(folder, "locks"));
  }

  get path(): string {
    return this.folder.path;
  }

  /** Folders of links through which the parts of split models find each other. */
  get splitsFolder(): string {
    return path.join(this.path, "splits");
  }

  /** @throws ProductError `STORE_DIGEST_INVALID` */
  blobPath(digest: string): string {
    return this.folder.blobPath(digest);
  }

  blobPathsElsewhere(digest: string): string[] {
    const others = this.#others.filter((other) => other.path !== this.path);
    return others.map((folder) => folder.blobPath(digest));
  }

  /** @param sizeBytes expected size; a blob of another size is damaged and counts as missing */
  async hasBlob(digest: string, sizeBytes?: number): Promise<boolean> {
    return await stat(this.blobPath(digest)).then(
      (facts) => facts.isFile() && (sizeBytes === undefined || facts.size === sizeBytes),
      () => false,
    );
  }

  async withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
    return await this.#writing(() => this.locks.withLock(namedLock(name), work));
  }

  /** Runs the work if no one is in `withLock` of that name, otherwise does nothing. */
  async ifUnlocked(name: string, work: () => Promise<void>): Promise<void> {
    await this.locks.tryWithLock(namedLock(name), work);
  }

  /**
   * Runs work that adds blobs and then the manifest that needs them; no blob is removed meanwhile.
   * First removes what killed processes left unfinished. May be nested.
   *
   * @throws ProductError `STORE_DISK_FULL`, `STORE_NOT_WRITABLE`
   */
  async whileWriting<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.#writing(async () => {
        await this.#removeAbandoned();
        return await this.locks.withLock(writersLock, work, { isShared: true, signal });
      });
    } finally {
      await this.#removeReleased();
    }
  }

  /**
   * Runs work that reads blobs; none is removed meanwhile. A store that this user may not write is
   * read without a lock: its owner may then remove a blob, and the work fails.
   */
  async whileReading<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      return work();
    };
    try {
      return await this.whileWriting(begin, signal);
    } catch (error) {
      const isRefused =
        error instanceof ProductError && error.code === storeErrors.notWritable.code;
      if (hasBegun || !isRefused) throw error;
      return await work();
    }
  }

  /** Runs work that removes blobs; does nothing and returns undefined during a write. */
  async whileNobodyWrites<T>(work: () => Promise<T>): Promise<{ value: T } | undefined> {
    return await this.#writing(() => this.locks.tryWithLock(writersLock, work));
  }

  /** @throws ProductError `STORE_DISK_FULL`, `STORE_NOT_WRITABLE` */
  async writeBlob(content: string | Uint8Array): Promise<WrittenBlob> {
    const digest = digestOf(content);
    const sizeBytes = Buffer.byteLength(content);
    if (await this.#use(digest, sizeBytes)) return { digest, sizeBytes, isNew: false };
    await this.#writing(() => writeFileAtomically(this.blobPath(digest), content));
    return { digest, sizeBytes, isNew: true };
  }

  /**
   * Writes a stream, which becomes a blob only when it is complete and correct. If its length is
   * known, there must be room for it, and content that exists already is only hashed.
   *
   * @throws ProductError `STORE_DIGEST_MISMATCH`, `STORE_DISK_FULL`, `STORE_NOT_WRITABLE`; the
   *   stream's error
   */
  async writeBlobFrom(
    stream: AsyncIterable<Uint8Array> | Readable,
    options: WriteOptions = {},
  ): Promise<WrittenBlob> {
    const unfinished = unfinishedPath(path.join(this.folder.blobsFolder, "blob"));
    const { digest: promised, sizeBytes: length } = options;
    return await this.whileWriting(async () => {
      if (promised !== undefined && length !== undefined && (await this.#use(promised, length))) {
        return { ...(await checkStream(stream, options)), isNew: false };
      }
      if (length !== undefined) await requireRoom(this.path, length);
      try {
        const { digest, sizeBytes } = await writeStream(unfinished, stream, options);
        checkDigest(digest, options.digest);
        const isNew = !(await this.#use(digest, sizeBytes));
        if (isNew) await moveIntoPlace(unfinished, this.blobPath(digest));
        return { digest, sizeBytes, isNew };
      } finally {
        await rm(unfinished, { force: true });
      }
    });
  }

  /** Writes a manifest, and returns the one of the same name that it replaces. */
  async writeManifest(name: ModelName, manifest: Manifest): Promise<StoredManifest | undefined> {
    return await this.#changingManifests(async () => {
      const old = await this.folder.find(name);
      const before = old && (await this.folder.read(old).catch(() => undefined));
      const text = printManifest(manifest);
      const file = old?.path ?? this.folder.manifestPath(name);
      parseManifest(text, file); // An unreadable manifest must not replace a readable one.
      try {
        await writeFileAtomically(file, text);
      } catch (error) {
        await removeEmptyFolders(file, this.folder.manifestsFolder);
        throw error;
      }
      return before;
    });
  }

  /** Also removes the folders above that become empty. */
  async removeManifest(file: ManifestFile): Promise<void> {
    await this.#changingManifests(async () => {
      await rm(file.path, { force: true });
      await removeEmptyFolders(file.path, this.folder.manifestsFolder);
    });
  }

  /** Removes the given blobs that no manifest needs; waits for running writes. */
  async removeUnused(digests: readonly string[]): Promise<void> {
    if (digests.length === 0) return;
    const removed = await this.whileNobodyWrites(async () => {
      await removeUnfinished(this.folder.blobsFolder);
      await this.#released.removeUnneeded(digests);
    });
    if (removed !== undefined) return;
    await this.#writing(() => this.#released.mark(digests));
    await this.#removeReleased();
  }

  /** Removes unfinished files of killed processes; call it while nothing is being written. */
  async removeUnfinished(): Promise<void> {
    await removeUnfinished(this.folder.blobsFolder);
    await this.locks.tryWithLock(manifestsLock, () =>
      removeUnfinished(this.folder.manifestsFolder),
    );
  }

  /** Removes unfinished blobs of dead processes; none during a write. */
  async #removeAbandoned(): Promise<void> {
    if ((await unfinishedIn(this.folder.blobsFolder)).length === 0) return;
    await this.whileNobodyWrites(() => removeUnfinished(this.folder.blobsFolder));
  }

  /** Removes the blobs that were released during a write. */
  async #removeReleased(): Promise<void> {
    if (!this.#released.hasAny) return;
    await this.whileNobodyWrites(() => this.#released.remove());
  }

  /** Refreshes the time of a complete blob. Returns false if there is none. */
  async #use(digest: string, sizeBytes: number): Promise<boolean> {
    if (!(await this.hasBlob(digest, sizeBytes))) return false;
    return await setBlobTime(this.blobPath(digest), new Date());
  }

  async #changingManifests<T>(work: () => Promise<T>): Promise<T> {
    return await this.#writing(() =>
      this.locks.withLock(manifestsLock, async () => {
        await removeUnfinished(this.folder.manifestsFolder);
        return await work();
      }),
    );
  }

  async #writing<T>(work: () => Promise<T>): Promise<T> {
    return await explainingDiskErrors(this.path, async () => {
      await refuseForeignStore(this.path, this.#others);
      await makeFolder(this.folder.blobsFolder);
      return await work();
    });
  }
}

/** The caller must be the folder's only writer. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const file of await unfinishedIn(folder)) await rm(file, { recursive: true, force: true });
}

/** Removes the empty folders above a removed file, up to `top`, which stays. */
async function removeEmptyFolders(file: string, top: string): Promise<void> {
  for (let folder = path.dirname(file); folder !== top; folder = path.dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false, // other things are in it
    );
    if (!isGone) return;
  }
}
