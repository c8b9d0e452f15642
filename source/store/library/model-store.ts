// Our own model store: writes blobs and manifests, and removes what no model needs.
import { existsSync } from "node:fs";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { makeFolder } from "../../base/make-folder.ts";
import { ProductError } from "../../base/product-error.ts";
import { unfinishedIn, unfinishedPath } from "../../base/unfinished-files.ts";
import { storeErrors } from "../errors.ts";
import type { ModelName } from "../model-reference.ts";
import type { BlobFolder } from "./blob-folder.ts";
import { setBlobTime } from "./blob-time.ts";
import { digestOf, isDigest, parseDigest } from "./digest.ts";
import { explainingDiskErrors } from "./disk-errors.ts";
import { removeEmptyFolders } from "./empty-folders.ts";
import { refuseForeignStore } from "./foreign-store.ts";
import { LockFolder } from "./lock-folder.ts";
import { blobsOf, type Manifest, parseManifest, printManifest } from "./manifest.ts";
import { type ManifestFile, ModelFolder, type StoredManifest } from "./model-folder.ts";
import { ReferenceTracker } from "./reference-tracker.ts";
import { requireRoom } from "./require-room.ts";
import { moveIntoPlace, writeFileAtomically } from "./write-atomically.ts";
import { checkDigest, checkStream, type WriteOptions, writeStream } from "./write-stream.ts";

export interface WrittenBlob {
  /** `sha256:` and 64 hex digits. */
  digest: string;
  sizeBytes: number;
  /** False when the store had this content already. */
  isNew: boolean;
}

// Writers share this lock from the first blob to the manifest that needs it; whoever removes blobs
// holds it alone. So no blob is removed between being found and being needed, and the holder knows
// that nobody is writing the unfinished files it finds.
const writersLock = "writers";
/** Held for moments, while a manifest is put in place or taken away. */
const manifestsLock = "manifests";
/** Time of the last change of a blob that was let go, in seconds and milliseconds alike. */
const letGoAt = 0;
const namedLock = (name: string) => `named ${name}`;

export class ModelStore implements BlobFolder {
  readonly folder: ModelFolder;
  readonly references: ReferenceTracker;
  readonly locks: LockFolder;
  readonly #others: readonly ModelFolder[];

  /**
   * @param folder made with its first content
   * @param otherFolders of other stores in the same layout, which need not be there: read, never
   *   written, also where our own folder is said to be one of them
   */
  constructor(
    folder: string,
    hubPrefixes?: readonly string[],
    otherFolders: readonly string[] = [],
  ) {
    this.#others = otherFolders.map((other) => new ModelFolder(other, "ollama", hubPrefixes));
    this.folder = new ModelFolder(folder, "modelctl", hubPrefixes);
    this.references = new ReferenceTracker(path.join(folder, "references"));
    this.locks = new LockFolder(path.join(folder, "locks"));
  }

  get path(): string {
    return this.folder.path;
  }

  /** Folders of links through which the parts of split models find each other. */
  get splitsFolder(): string {
    return path.join(this.path, "splits");
  }

  /** Records that blobs were released during a write. */
  get #letGoMark(): string {
    return path.join(this.path, "let-go");
  }

  /** @throws ProductError `STORE_DIGEST_INVALID` */
  blobPath(digest: string): string {
    return this.folder.blobPath(digest);
  }

  blobPathsElsewhere(digest: string): string[] {
    const others = this.#others.filter((other) => other.path !== this.path);
    return others.map((folder) => folder.blobPath(digest));
  }

  /** @param sizeBytes of the content; a blob of another length is a damaged one, as good as none */
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
   * Does work that adds blobs and then the manifest that needs them; until it ends, no blob of the
   * store is removed. What a killed process left unfinished makes room first. May be nested.
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
      await this.#removeLetGo();
    }
  }

  /**
   * Does work that reads blobs; until it ends, none is removed. A store that this user may not write is
   * read all the same: then whoever owns it may remove some, which the work finds out.
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
   * said, there must be room for it, and of content that is there already only the digest is computed.
   *
   * @throws ProductError `STORE_DIGEST_MISMATCH`, `STORE_DISK_FULL`, `STORE_NOT_WRITABLE`; the
   *   stream's own error
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

  /** Puts a manifest in place of one of the same name; gives the one that was there. */
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

  /** The folders above go with their last manifest. */
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
      await this.#removeUnneeded(digests);
    });
    if (removed !== undefined) return;
    for (const digest of digests) {
      await setBlobTime(this.blobPath(digest), letGoAt); // unless it is gone already
    }
    await this.#writing(() => writeFile(this.#letGoMark, ""));
    await this.#removeLetGo();
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
  async #removeLetGo(): Promise<void> {
    if (!existsSync(this.#letGoMark)) return;
    await this.whileNobodyWrites(async () => {
      await rm(this.#letGoMark, { force: true });
      const letGo: string[] = [];
      for (const name of await readdir(this.folder.blobsFolder)) {
        if (!isDigest(name)) continue;
        const facts = await stat(this.blobPath(name)).catch(() => undefined);
        if (facts?.mtimeMs === letGoAt) letGo.push(parseDigest(name));
      }
      await this.#removeUnneeded(letGo);
    });
  }

  async #removeUnneeded(digests: readonly string[]): Promise<void> {
    const needed = await this.neededBlobs();
    // A damaged manifest may need any of them.
    if (needed.damaged.length > 0) return;
    for (const digest of digests) {
      if (!needed.digests.has(digest)) await rm(this.blobPath(digest), { force: true });
    }
  }

  /** The digests that manifests need, and the manifests that cannot be read. */
  async neededBlobs(): Promise<{
    digests: Set<string>;
    manifests: StoredManifest[];
    damaged: string[];
  }> {
    const manifests: StoredManifest[] = [];
    const damaged: string[] = [];
    for (const file of await this.folder.files()) {
      const manifest = await this.folder.read(file).catch(() => undefined);
      if (manifest === undefined) damaged.push(file.path);
      else manifests.push(manifest);
    }
    const digests = new Set(manifests.flatMap(({ manifest }) => blobsOf(manifest)));
    return { digests, manifests, damaged };
  }

  /** Marks a blob as wanted now, if it is there and whole. */
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

/** To be called by who alone may write there. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const file of await unfinishedIn(folder)) await rm(file, { recursive: true, force: true });
}
