// Uploads of revisions' packages to a cluster, which drops packages that no application uses.
import { formatBytes } from "../../../base/formats.ts";
import type { RevisionPlan } from "../engine.ts";
import { packBundle } from "./bundle-package.ts";
import type { RayClient } from "./ray-client.ts";

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
