// Package of a revision for the nodes: its bundle, and the Python files that run it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { pythonFolder } from "../../inspection/python-program.ts";
import { createZip, type ZippedFile } from "./zip.ts";

export interface BundlePackage {
  /** Name by content: `_ray_pkg_<hex>.zip`. */
  name: string;
  zip: Buffer;
}

/** Parts of the Python folder that a replica needs. */
const runningParts = ["deployctl_ray_wrapper", "deployctl_running", "shim", "runner.py"];
/** Folder of the bundle in the package. */
export const bundleFolder = "bundle";

export function packBundle(folder: string): BundlePackage {
  const ours = runningParts.flatMap((part) => filesBelow(path.join(pythonFolder(), part), part));
  return pack([...ours, ...filesBelow(folder, bundleFolder)]);
}

/** Packs a folder under a name of its own. */
export function packFolder(folder: string, name: string): BundlePackage {
  return pack(filesBelow(folder, name));
}

function pack(files: readonly ZippedFile[]): BundlePackage {
  const zip = createZip(files);
  const digest = createHash("sha256").update(zip).digest("hex").slice(0, 32);
  return { name: `_ray_pkg_${digest}.zip`, zip };
}

/** Lists a file, or all files of a folder, in a stable order. */
function filesBelow(place: string, name: string): ZippedFile[] {
  const facts = statSync(place);
  if (!facts.isDirectory()) {
    return [{ name, data: readFileSync(place), isExecutable: (facts.mode & 0o111) !== 0 }];
  }
  return readdirSync(place)
    .filter((entry) => entry !== "__pycache__")
    .sort()
    .flatMap((entry) => filesBelow(path.join(place, entry), `${name}/${entry}`));
}
