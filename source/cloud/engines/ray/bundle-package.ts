// Package of a revision for the nodes: its bundle, and the Python files that run it; and its upload.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { type Zippable, zipSync } from "fflate";
import { formatBytes } from "../../../base/formats.ts";
import { pythonFolder } from "../../inspection/python-program.ts";
import type { RevisionPlan } from "../engine.ts";
import type { RayClient } from "./ray-client.ts";

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

/** Uploads of revisions' packages to a cluster, which drops packages that no application uses. */
export class BundleUploads {
  readonly #client: RayClient;
  /** Names of packages by the folder of their bundle, which never changes. */
  readonly #names = new Map<string, string>();

  constructor(client: RayClient) {
    this.#client = client;
  }

  /** Uploads the package unless the cluster has it. @returns its name */
  async upload({ bundleFolder }: RevisionPlan, log: (text: string) => void): Promise<string> {
    const known = this.#names.get(bundleFolder);
    const packed = known === undefined ? packBundle(bundleFolder) : undefined;
    const name = known ?? packed?.name ?? "";
    await this.#client.upload(name, () => {
      const { zip } = packed ?? packBundle(bundleFolder);
      log(`uploading ${formatBytes(zip.length)} to the Ray cluster`);
      return zip;
    });
    this.#names.set(bundleFolder, name);
    return name;
  }

  forget({ bundleFolder }: RevisionPlan): void {
    this.#names.delete(bundleFolder);
  }
}

/** Packs a folder under a name of its own. */
export function packFolder(folder: string, name: string): BundlePackage {
  return pack(filesBelow(folder, name));
}

function pack(files: readonly PackedFile[]): BundlePackage {
  const zip = Buffer.from(zipSync(Object.fromEntries(files), { os: unix, mtime: sameDate }));
  const digest = createHash("sha256").update(zip).digest("hex").slice(0, 32);
  return { name: `_ray_pkg_${digest}.zip`, zip };
}

/** Path in the archive, content and mode. */
type PackedFile = [path: string, file: Zippable[string]];

const unix = 3;
/** Earliest date of ZIP. All files get it, so that equal files give equal archives. */
const sameDate = new Date(1980, 0, 1);

/** Lists a file, or all files of a folder, in a stable order. */
function filesBelow(place: string, name: string): PackedFile[] {
  const facts = statSync(place);
  if (!facts.isDirectory()) {
    const mode = (facts.mode & 0o111) === 0 ? 0o100644 : 0o100755;
    return [[name, [readFileSync(place), { attrs: mode * 2 ** 16 }]]];
  }
  return readdirSync(place)
    .filter((entry) => entry !== "__pycache__")
    .sort()
    .flatMap((entry) => filesBelow(path.join(place, entry), `${name}/${entry}`));
}
