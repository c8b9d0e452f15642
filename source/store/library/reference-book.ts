// Checks the files that models refer to, and remembers what has been learnt about them: the digest
// of a large file, and that a touched file still has its content.
import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { ModelName } from "../model-reference.ts";
import { digestOfFile, type HashOptions, parseDigest } from "./digest.ts";
import { isMissing } from "./disk-errors.ts";
import { type FileState, isSameState, stateOf } from "./file-state.ts";
import { type FileReference, isObject, type ReferenceLayer } from "./manifest.ts";
import { writeFileAtomically } from "./write-atomically.ts";

/** What was learnt about a referenced file after its model was created. */
interface Finding {
  digest: string;
  /** The file had this content when it was in this state. */
  mtimeNs: string;
  inode: string;
}

export class ReferenceBook {
  readonly #folder: string;
  /** A file that is being read is read once for all who ask. */
  readonly #running = new Map<string, Promise<string>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Whether the file is still what the model was created from. One that was merely touched is read
   * once, and then known to be the same.
   *
   * @throws ProductError `STORE_REFERENCE_MISSING`, `STORE_REFERENCE_CHANGED`
   */
  async check(layer: ReferenceLayer, model: ModelName): Promise<void> {
    const { reference } = layer;
    const state = await stateOf(reference.path).catch((error: unknown) => {
      throw isMissing(error) ? missing(reference, model) : error;
    });
    if (isSameState(reference, state) && layer.sizeBytes === state.sizeBytes) return;
    if (layer.sizeBytes !== state.sizeBytes) throw changed(reference, model, state);
    const finding = await this.#finding(layer);
    if (finding !== undefined && isSameState(finding, state)) return;
    const known = reference.digest ?? finding?.digest;
    if (known === undefined) throw changed(reference, model, state);
    if ((await this.#hash(layer, state, {})) !== known) throw changed(reference, model, state);
    await this.#write(layer, { digest: known, mtimeNs: state.mtimeNs, inode: state.inode });
  }

  /** The digest if it is known without reading the file. */
  async knownDigest(layer: ReferenceLayer): Promise<string | undefined> {
    return layer.reference.digest ?? (await this.#finding(layer))?.digest;
  }

  /**
   * The digest, from reading the file where it is not known yet.
   *
   * @throws ProductError `STORE_REFERENCE_MISSING`, `STORE_REFERENCE_CHANGED`
   */
  async digest(layer: ReferenceLayer, model: ModelName, options: HashOptions = {}) {
    await this.check(layer, model);
    const known = await this.knownDigest(layer);
    if (known !== undefined) return known;
    const before = await stateOf(layer.reference.path);
    const digest = await this.#hash(layer, before, options);
    const after = await stateOf(layer.reference.path);
    if (!isSameState(before, after)) throw changed(layer.reference, model, after);
    const { mtimeNs, inode } = after;
    await this.#write(layer, { digest, mtimeNs, inode });
    return digest;
  }

  /** Forgets what no layer needs any more. */
  async keepOnly(layers: readonly ReferenceLayer[]): Promise<void> {
    const needed = new Set(layers.map(keyOf));
    const files = await readdir(this.#folder).catch(() => []);
    for (const file of files) {
      if (!needed.has(file)) await rm(path.join(this.#folder, file), { force: true });
    }
  }

  async #hash(layer: ReferenceLayer, state: FileState, options: HashOptions): Promise<string> {
    const { path: file } = layer.reference;
    // A caller who can cancel, or wants to see progress, reads on its own.
    if (options.signal !== undefined || options.onBytes !== undefined) {
      return await digestOfFile(file, options);
    }
    const key = `${file} ${state.mtimeNs} ${state.inode}`;
    const running = this.#running.get(key) ?? digestOfFile(file);
    this.#running.set(key, running);
    return await running.finally(() => this.#running.delete(key));
  }

  async #finding(layer: ReferenceLayer): Promise<Finding | undefined> {
    try {
      return readFinding(await readFile(path.join(this.#folder, keyOf(layer)), "utf8"));
    } catch {
      return undefined; // nothing was learnt, or it is lost: it can be learnt again
    }
  }

  async #write(layer: ReferenceLayer, finding: Finding): Promise<void> {
    const file = path.join(this.#folder, keyOf(layer));
    // Where it cannot be written, as on a full disk, it is learnt again next time.
    await writeFileAtomically(file, JSON.stringify(finding)).catch(() => {});
  }
}

/** The same for every copy of a model. */
function keyOf({ sizeBytes, reference }: ReferenceLayer): string {
  const { path: file, mtimeNs, inode } = reference;
  const text = [file, sizeBytes, mtimeNs, inode].join("\0");
  return `${createHash("sha256").update(text).digest("hex")}.json`;
}

function readFinding(text: string): Finding {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error("not an object");
  const { digest, mtimeNs, inode } = value;
  if (typeof digest !== "string" || typeof mtimeNs !== "string" || typeof inode !== "string") {
    throw new Error("not a finding");
  }
  return { digest: parseDigest(digest), mtimeNs, inode };
}

function missing({ path: file, since }: FileReference, model: ModelName): ProductError {
  return new ProductError(storeErrors.referenceMissing, {
    message: `The model '${model.display}' refers to ${file}, which was moved or deleted; it was there when the model was created on ${dayOf(since)}.`,
    hint: "Put the file back, or create the model again from where it is now.",
  });
}

function changed({ path: file, since }: FileReference, model: ModelName, now: FileState) {
  const changedAt = new Date(Number(BigInt(now.mtimeNs) / 1_000_000n)).toISOString();
  return new ProductError(storeErrors.referenceChanged, {
    message: `The model '${model.display}' was created on ${dayOf(since)} from ${file}, which has changed since (it now dates from ${dayOf(changedAt)} and has ${now.sizeBytes} bytes).`,
    hint: "Create the model again to use the file as it is now.",
  });
}

/** `2026-11-21 10:35 UTC` */
function dayOf(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
