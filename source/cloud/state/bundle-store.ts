// Files of revisions: each bundle once, in a read-only folder named by its content hash.
import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { quoteShort } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import type { BundleFile } from "../admin/documents.ts";
import { cloudErrors } from "../errors.ts";

const largestBundleBytes = 64 * 1024 * 1024;
const maxFiles = 2000;
const longestPath = 512;

export class BundleStore {
  readonly #folder: string;

  /** @param folder `bundles` in the state folder */
  constructor(folder: string) {
    this.#folder = folder;
  }

  folderOf(bundle: string): string {
    return path.join(this.#folder, bundle);
  }

  has(bundle: string): boolean {
    return existsSync(this.folderOf(bundle));
  }

  /** Stores a bundle, unless it is stored already. */
  keep({ hash, files }: Bundle): void {
    if (!this.has(hash)) this.#store(hash, files);
  }

  /** Returns the files of a stored bundle, as they are sent. */
  read(bundle: string): BundleFile[] {
    const folder = this.folderOf(bundle);
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const file = path.join(parentPath, name);
        return {
          path: path.relative(folder, file).replaceAll(path.sep, "/"),
          contentBase64: readFileSync(file).toString("base64"),
          isExecutable: (statSync(file).mode & 0o100) !== 0,
        };
      });
  }

  /** Removes unused bundles, and leftovers of a crash. */
  prune(used: ReadonlySet<string>): void {
    if (!existsSync(this.#folder)) return;
    for (const name of readdirSync(this.#folder)) {
      if (!used.has(name)) removeReadOnly(path.join(this.#folder, name));
    }
  }

  /** Stores atomically: the folder gets its name once it is complete. */
  #store(bundle: string, files: DecodedFile[]): void {
    const temporary = path.join(this.#folder, `unfinished-${randomUUID()}`);
    try {
      for (const { path: name, content, isExecutable } of files) {
        const target = path.join(temporary, name);
        mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
        writeFileSync(target, content, { mode: isExecutable ? 0o500 : 0o400 });
      }
      setModes(temporary, 0o500);
      renameSync(temporary, this.folderOf(bundle));
    } catch (error) {
      removeReadOnly(temporary);
      throw error;
    }
  }
}

/** Validated files with their hash. */
export interface Bundle {
  /** SHA-256. */
  hash: string;
  files: DecodedFile[];
}

/** @throws ProductError `CLOUD_BUNDLE_INVALID` */
export function readBundle(sent: { script: string; files: readonly BundleFile[] }): Bundle {
  const files = decode(sent.files);
  if (!files.some((file) => file.path === sent.script)) {
    throw invalid(`The script ${quoteShort(sent.script)} is missing from the deployment's files.`);
  }
  return { hash: hashOf(files), files };
}

interface DecodedFile {
  path: string;
  content: Buffer;
  isExecutable: boolean;
}

function decode(files: readonly BundleFile[]): DecodedFile[] {
  if (files.length > maxFiles) {
    throw invalid(`Too many files: ${files.length} (the limit is ${maxFiles}).`);
  }
  const seen = new Set<string>();
  let total = 0;
  return files.map(({ path: name, contentBase64, isExecutable }) => {
    const fault = pathFault(name);
    if (fault !== undefined) throw invalid(`The path ${quoteShort(name)} ${fault}.`);
    if (seen.has(name)) throw invalid(`Duplicate path ${quoteShort(name)}.`);
    seen.add(name);
    const content = Buffer.from(contentBase64, "base64");
    total += content.length;
    if (total > largestBundleBytes) {
      throw invalid("The deployment's files exceed 64 MiB.");
    }
    return { path: name, content, isExecutable };
  });
}

function pathFault(name: string): string | undefined {
  if (name === "" || name.length > longestPath) return "is empty or too long";
  if (name.includes("\0") || name.includes("\\")) return "contains an invalid character";
  if (path.posix.isAbsolute(name)) return "is absolute";
  if (name.split("/").some((part) => part === "" || part === "." || part === "..")) {
    return "leads outside its folder or has an empty segment";
  }
  return undefined;
}

function hashOf(files: DecodedFile[]): string {
  const hash = createHash("sha256");
  const ordered = [...files].sort((one, other) => (one.path < other.path ? -1 : 1));
  for (const { path: name, content, isExecutable } of ordered) {
    // Length prefixes ensure that different files never give the same bytes.
    hash.update(
      `${Buffer.byteLength(name)}:${name}:${isExecutable ? "x" : "-"}:${content.length}:`,
    );
    hash.update(content);
  }
  return hash.digest("hex");
}

/** Sets the mode of a folder and all folders in it. */
function setModes(folder: string, mode: number): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const inside = entries.filter((entry) => entry.isDirectory());
  for (const { parentPath, name } of inside) chmodSync(path.join(parentPath, name), mode);
  chmodSync(folder, mode);
}

/** Makes folders writable first, as a read-only folder cannot be emptied. */
function removeReadOnly(folder: string): void {
  if (!existsSync(folder)) return;
  setModes(folder, 0o700);
  rmSync(folder, { recursive: true });
}

function invalid(message: string): ProductError {
  return new ProductError(cloudErrors.bundleInvalid, { message, param: "bundle" });
}
