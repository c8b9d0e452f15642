// Checks the files that models refer to. Remembers the digests of large files, and which touched
// files are unchanged.

import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { isRecord } from "../../base/json.ts";
import { ProductError } from "../../base/product-error.ts";
import { SharedWork } from "../../base/shared-work.ts";
import { storeErrors } from "../errors.ts";
import type { ModelName } from "../model-reference.ts";
import { digestOfFile, type HashOptions, parseDigest } from "./digest.ts";
import { isMissing } from "./disk-errors.ts";
import {
  type FileState,
  isSameState,
  isUnwritten,
  stateOf,
  type TouchedFile,
} from "./file-state.ts";
import type { FileReference, ReferenceLayer } from "./manifest.ts";
import { writeFileAtomically } from "./write-atomically.ts";

/** Facts learnt about a referenced file after its model was created. */
interface Finding {
  digest: string;
  /** The file had this content when it was in this state. */
  mtimeNs: string;
  /** Or `anyInode`. */
  inode: string;
}

/**
 * Stands for any inode, which some network file systems change at every call. After a file was read
 * for its inode alone and found unchanged, only its time and size count.
 */
const anyInode = "any";

const usualReadAtOnceBytes = 64 * 1024 ** 2;

export class ReferenceTracker {
  /** Smaller files are read at once; larger ones would keep the user waiting. */
  readonly readAtOnceBytes: number;
  readonly #folder: string;
  /** Findings that cannot be written, as in a read-only store. */
  readonly #learnt = new Map<string, Finding>();
  /** States of files known to have changed, so that they are not read again. */
  readonly #others = new Map<string, FileState>();
  /** Shares one read among all callers. */
  readonly #reading = new SharedWork<string, number>();

  constructor(folder: string, readAtOnceBytes = usualReadAtOnceBytes) {
    this.#folder = folder;
    this.readAtOnceBytes = readAtOnceBytes;
  }

  /**
   * Checks that the file is still the one the model was created from. A small file that was only
   * touched is read at once; a large one is left to the caller who needs its content.
   * @returns the file that is left to be read, if any
   * @throws ProductError `STORE_REFERENCE_MISSING`, `STORE_REFERENCE_CHANGED`
   */
  async verify(layer: ReferenceLayer, model: ModelName): Promise<TouchedFile | undefined> {
    const { reference, sizeBytes } = layer;
    const state = await this.#stateOf(layer, model);
    if (isSameState(reference, state)) return undefined;
    const finding = await this.#finding(layer);
    const isSameTime = (earlier: { mtimeNs: string }) => earlier.mtimeNs === state.mtimeNs;
    if (finding !== undefined && isSameTime(finding)) {
      if (finding.inode === anyInode || finding.inode === state.inode) return undefined;
    }
    const known = reference.digest ?? finding?.digest;
    if (known === undefined) {
      // A file restored from a copy, or on a network disk, has only its time and size to compare.
      if (isSameTime(reference)) return undefined;
      throw unknown(reference, model, state);
    }
    const other = this.#others.get(keyOf(layer));
    if (other !== undefined && isSameState(other, state)) throw changed(reference, model, state);
    const check = async (options: HashOptions = {}) => {
      if ((await this.#hash(layer, state, options)) !== known) {
        this.#others.set(keyOf(layer), state);
        throw changed(reference, model, state);
      }
      const earlier = finding === undefined ? [reference] : [reference, finding];
      const inode = earlier.some(isSameTime) ? anyInode : state.inode;
      await this.#learn(layer, { digest: known, mtimeNs: state.mtimeNs, inode });
    };
    if (sizeBytes >= this.readAtOnceBytes) return { path: reference.path, sizeBytes, check };
    await check();
    return undefined;
  }

  /** The digest if it is known without reading the file. */
  async knownDigest(layer: ReferenceLayer): Promise<string | undefined> {
    return layer.reference.digest ?? (await this.#finding(layer))?.digest;
  }

  /**
   * Returns the digest; reads the file if it is not known yet.
   *
   * @throws ProductError `STORE_REFERENCE_MISSING`, `STORE_REFERENCE_CHANGED`
   */
  async digest(layer: ReferenceLayer, model: ModelName, options: HashOptions = {}) {
    await (await this.verify(layer, model))?.check(options);
    const known = await this.knownDigest(layer);
    if (known !== undefined) return known;
    const before = await stateOf(layer.reference.path);
    const digest = await this.#hash(layer, before, options);
    const after = await stateOf(layer.reference.path);
    if (!isUnwritten(before, after)) throw changed(layer.reference, model, after);
    const { mtimeNs, inode } = after;
    await this.#learn(layer, { digest, mtimeNs, inode });
    return digest;
  }

  /** Drops entries that no layer needs. */
  async keepOnly(layers: readonly ReferenceLayer[]): Promise<void> {
    const needed = new Set(layers.map(keyOf));
    const files = await readdir(this.#folder).catch(() => []);
    for (const file of files) {
      if (!needed.has(file)) await rm(path.join(this.#folder, file), { force: true });
    }
  }

  /** Returns the state of a file that exists with unchanged length. */
  async #stateOf({ reference, sizeBytes }: ReferenceLayer, model: ModelName): Promise<FileState> {
    const state = await stateOf(reference.path).catch((error: unknown) => {
      throw isMissing(error) ? missing(reference, model) : error;
    });
    if (state.sizeBytes !== sizeBytes) throw changed(reference, model, state);
    return state;
  }

  async #hash(
    { reference }: ReferenceLayer,
    { mtimeNs, inode }: FileState,
    { signal = new AbortController().signal, onBytes = () => {} }: HashOptions,
  ): Promise<string> {
    const { path: file } = reference;
    const whenLeft = () => (signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    return await this.#reading.join(
      `${file} ${mtimeNs} ${inode}`,
      { signal, report: onBytes, whenLeft },
      (shared, report) => digestOfFile(file, { signal: shared, onBytes: report }),
    );
  }

  async #finding(layer: ReferenceLayer): Promise<Finding | undefined> {
    try {
      return readFinding(await readFile(path.join(this.#folder, keyOf(layer)), "utf8"));
    } catch {
      // Nothing was written, or it is lost: it can be learnt again.
      return this.#learnt.get(keyOf(layer));
    }
  }

  async #learn(layer: ReferenceLayer, finding: Finding): Promise<void> {
    const key = keyOf(layer);
    const file = path.join(this.#folder, key);
    await writeFileAtomically(file, JSON.stringify(finding)).catch(() => {
      // If it cannot be written, as on a full disk, the next process learns it again.
      this.#learnt.set(key, finding);
    });
  }
}

/** File name of a finding, the same for every copy of a model. */
function keyOf({ sizeBytes, reference }: ReferenceLayer): string {
  const { path: file, mtimeNs, inode } = reference;
  const text = [file, sizeBytes, mtimeNs, inode].join("\0");
  return `${createHash("sha256").update(text).digest("hex")}.json`;
}

function readFinding(text: string): Finding {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error("not an object");
  const { digest, mtimeNs, inode } = value;
  if (typeof digest !== "string" || typeof mtimeNs !== "string" || typeof inode !== "string") {
    throw new Error("not a finding");
  }
  return { digest: parseDigest(digest), mtimeNs, inode };
}

function missing({ path: file, since }: FileReference, model: ModelName): ProductError {
  return new ProductError(storeErrors.referenceMissing, {
    message: `The model '${model.display}' refers to ${file}, which was moved or deleted after the model was created on ${dayOf(since)}.`,
    hint: "Restore the file, or create the model again from its new path.",
  });
}

function changed({ path: file, since }: FileReference, model: ModelName, now: FileState) {
  return new ProductError(storeErrors.referenceChanged, {
    message: `The model '${model.display}' was created on ${dayOf(since)} from ${file}, which has changed since (it now dates from ${dateOf(now)} and has ${now.sizeBytes} bytes).`,
    hint: "Create the model again to use the new file.",
  });
}

function unknown({ path: file, since }: FileReference, model: ModelName, now: FileState) {
  return new ProductError(storeErrors.referenceChanged, {
    message: `The model '${model.display}' was created on ${dayOf(since)} from ${file}, which may have changed since: it now dates from ${dateOf(now)}, and its hash was not known before.`,
    hint: "Create the model again to use the new file. A server computes the hashes of large files in the background.",
  });
}

function dateOf({ mtimeNs }: FileState): string {
  return dayOf(new Date(Number(BigInt(mtimeNs) / 1_000_000n)).toISOString());
}

/** `2026-11-21 10:35 UTC` */
function dayOf(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
