// Files of a deployment: the script, the files it needs, and those the user adds.
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { formatBytes } from "../../base/formats.ts";
import { ProductError } from "../../base/product-error.ts";
import type { BundleFile, DeploymentRequest } from "../admin/documents.ts";
import { cloudErrors } from "../errors.ts";

/** Size limit: weights and data sets are downloaded or mounted, not deployed. */
export const largestBundleBytes = 24 * 1024 ** 2;

const excludedNames = new Set([
  "__pycache__",
  ".git",
  ".venv",
  "venv",
  "node_modules",
  ".mypy_cache",
]);

/**
 * @param script the script's path
 * @param needed files that the inspection found, relative to the script's folder
 * @param includes files and folders in the script's folder
 * @throws ProductError `CLOUD_BUNDLE_INVALID`
 */
export async function collectBundle(
  script: string,
  needed: readonly string[],
  includes: readonly string[],
): Promise<DeploymentRequest["bundle"]> {
  const file = await realpath(script);
  const root = path.dirname(file);
  const places = [
    path.basename(file),
    ...needed,
    ...(await Promise.all(includes.map((include) => placeOf(root, include)))),
  ];
  const names = (
    await Promise.all([...new Set(places)].map((place) => filesAt(root, place)))
  ).flat();
  const files: BundleFile[] = [];
  let sizeBytes = 0;
  for (const name of [...new Set(names)].sort()) {
    const absolute = path.join(root, name);
    const { mode, size } = await stat(absolute);
    sizeBytes += size;
    if (sizeBytes > largestBundleBytes) throw tooLarge(name, size);
    files.push({
      path: name.split(path.sep).join("/"),
      contentBase64: (await readFile(absolute)).toString("base64"),
      isExecutable: (mode & 0o100) !== 0,
    });
  }
  return { script: path.basename(file), files };
}

/** Returns a path relative to the script's folder. */
async function placeOf(root: string, include: string): Promise<string> {
  let absolute: string;
  try {
    absolute = await realpath(path.resolve(include));
  } catch (error) {
    throw new ProductError(cloudErrors.bundleInvalid, {
      message: `Cannot include ${include}: no such file or folder.`,
      hint: "Paths of --include are relative to the current folder.",
      cause: error,
    });
  }
  const place = path.relative(root, absolute);
  if (place === "" || (!place.startsWith("..") && !path.isAbsolute(place))) return place;
  throw new ProductError(cloudErrors.bundleInvalid, {
    message: `Cannot include ${include}: it is outside the script's folder ${root}.`,
    hint: "Move it into that folder. Replicas keep paths relative to the script.",
  });
}

/**
 * Lists a folder's files recursively, or a single file. Links to outside count as their targets.
 */
async function filesAt(root: string, place: string): Promise<string[]> {
  const absolute = path.join(root, place);
  const kind = await stat(absolute);
  if (kind.isFile()) return [place];
  if (!kind.isDirectory()) throw notAFile(absolute);
  const entries = await readdir(absolute, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (excludedNames.has(entry.name)) return [];
      const below = path.join(place, entry.name);
      if (entry.isDirectory()) return await filesAt(root, below);
      // Links to folders are skipped, as they may form a cycle.
      const isFile = entry.isFile() || (entry.isSymbolicLink() && (await isFileAt(root, below)));
      return isFile ? [below] : [];
    }),
  );
  return found.flat();
}

async function isFileAt(root: string, place: string): Promise<boolean> {
  try {
    return (await stat(path.join(root, place))).isFile();
  } catch {
    return false; // a link to nothing
  }
}

/** Rejects pipes and devices: reading them may never end. */
function notAFile(file: string): ProductError {
  return new ProductError(cloudErrors.bundleInvalid, {
    message: `Cannot include ${file}: it is neither a file nor a folder.`,
  });
}

function tooLarge(name: string, sizeBytes: number): ProductError {
  return new ProductError(cloudErrors.bundleInvalid, {
    message: `The deployment's files exceed ${formatBytes(largestBundleBytes)} (${name} is ${formatBytes(sizeBytes)}).`,
    hint: "Download large files in the script, into HF_HOME, which all replicas share.",
  });
}
