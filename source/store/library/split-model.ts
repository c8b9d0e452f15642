// Models split into several files: orders the parts, and links them under the names by which
// llama.cpp finds them next to the first.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { link, mkdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { unfinishedPath } from "../../base/unfinished-files.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { storeErrors } from "../errors.ts";
import type { ModelFile } from "./model-file.ts";

const namePattern = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i;

/** Paths of all parts, given one of them; undefined for a file that is not named like a part. */
export function partPaths(file: string): string[] | undefined {
  const [, stem, , total] = namePattern.exec(path.basename(file)) ?? [];
  const count = Number(total);
  if (stem === undefined || !(count > 1)) return undefined;
  return Array.from({ length: count }, (_, index) =>
    path.join(path.dirname(file), partName(stem, index, count)),
  );
}

function partName(stem: string, index: number, count: number): string {
  const digits = (value: number) => String(value).padStart(5, "0");
  return `${stem}-${digits(index + 1)}-of-${digits(count)}.gguf`;
}

/**
 * Parts of one model in their order.
 *
 * @param parts files whose metadata says that they are parts
 * @throws ProductError `STORE_SPLIT_INCOMPLETE`, `STORE_DEFINITION_INVALID`
 */
export function inOrder(parts: readonly ModelFile[]): ModelFile[] {
  const count = Math.max(...parts.map(({ part }) => part?.count ?? 0));
  const places = new Array<ModelFile | undefined>(count).fill(undefined);
  for (const file of parts) {
    const { index, count: ownCount } = file.part ?? { index: -1, count: -1 };
    if (ownCount !== count || !(index in places) || places[index] !== undefined) {
      throw new ProductError(storeErrors.definitionInvalid, {
        message: `${file.path} does not belong to the same split model as ${parts[0]?.path}.`,
        hint: "Name the parts of one model only.",
      });
    }
    places[index] = file;
  }
  const missing = places.flatMap((file, index) => (file === undefined ? [index + 1] : []));
  if (missing.length === 0) return places.filter((file) => file !== undefined);
  throw incomplete(parts[0]?.path ?? "", missing, count);
}

export function incomplete(file: string, missing: readonly number[], count: number): ProductError {
  const which =
    missing.length === 1 ? `part ${missing[0]} is` : `the parts ${missing.join(", ")} are`;
  return new ProductError(storeErrors.splitIncomplete, {
    message: `${file} belongs to a model split into ${count} files: ${which} missing.`,
    hint: "Put all parts into one folder, or name each of them.",
  });
}

/** A single part, under a name by which the others cannot be found. */
export function onePart(
  file: string,
  { index, count }: { index: number; count: number },
): ProductError {
  return new ProductError(storeErrors.splitIncomplete, {
    message: `${file} is part ${index + 1} of ${count} of a split model, and its name does not match the others.`,
    hint:
      `Rename the parts (…-${partName("", index, count).slice(1)}) and name the first, ` +
      "or give each part a FROM in a Modelfile.",
  });
}

/** True if llama.cpp finds all parts next to the first. */
function areNamedAsParts(paths: readonly string[]): boolean {
  const expected = partPaths(paths[0] ?? "");
  return expected?.length === paths.length && expected.every((file, at) => file === paths[at]);
}

/**
 * Folder of links for parts in other folders or with other names, such as blobs; undefined if none
 * is needed.
 */
export function linksFolder(paths: readonly string[], splitsFolder: string): string | undefined {
  if (areNamedAsParts(paths)) return undefined;
  const digits = createHash("sha256").update(paths.join("\0")).digest("hex").slice(0, 32);
  return path.join(splitsFolder, digits);
}

/**
 * Path for llama.cpp: the first part, next to the others under the right names.
 * @param paths absolute, in order
 */
export async function linkedParts(paths: readonly string[], splitsFolder: string): Promise<string> {
  const folder = linksFolder(paths, splitsFolder);
  if (folder === undefined) return paths[0] ?? "";
  try {
    return await linksIn(folder, paths);
  } catch (error) {
    // The folder cannot be written, as in another user's store: uses links of this process instead.
    return await linksIn(path.join(ownLinks(), path.basename(folder)), paths).catch(() => {
      throw error;
    });
  }
}

let ownFolder: string | undefined;

/** Temporary folder for links, removed when this process exits. */
function ownLinks(): string {
  if (ownFolder !== undefined) return ownFolder;
  const folder = mkdtempSync(path.join(tmpdir(), "modelctl-splits-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  ownFolder = folder;
  return folder;
}

/** Creates the folder of links unless it exists. */
async function linksIn(folder: string, paths: readonly string[]): Promise<string> {
  const first = path.join(folder, partName("model", 0, paths.length));
  if (await areLinked(paths, folder)) return first;
  const unfinished = unfinishedPath(folder);
  await mkdir(unfinished, { recursive: true });
  for (const [index, target] of paths.entries()) {
    const file = path.join(unfinished, partName("model", index, paths.length));
    // Symbolic links need a privilege on Windows; blobs lie on the same disk as these folders.
    if (process.platform === "win32") await link(target, file);
    else await symlink(target, file);
  }
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    // Another process was first; a folder of the same name has the same links.
    if (systemCode(error) !== "ENOTEMPTY" && systemCode(error) !== "EEXIST") throw error;
  });
  return first;
}

async function areLinked(paths: readonly string[], folder: string): Promise<boolean> {
  const last = path.join(folder, partName("model", paths.length - 1, paths.length));
  // The folder is renamed into place as a whole: one link proves that all exist.
  return await readlink(last).then(
    () => true,
    (error: unknown) => systemCode(error) === "EINVAL", // a hard link
  );
}
