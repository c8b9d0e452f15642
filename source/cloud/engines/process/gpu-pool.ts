// GPUs of this machine, as listed by nvidia-smi, and their reservations.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describeError } from "../../../base/product-error.ts";
import { systemCode } from "../../../base/write-refusal.ts";
import type { Reservations } from "../../state/reservations.ts";

export interface Gpu {
  index: number;
  uuid: string;
  /** Product name, such as "NVIDIA H100 80GB HBM3". */
  name: string;
  memoryMiB: number;
}

export interface GpuPoolOptions {
  reservations: Reservations;
  /** Called once when nvidia-smi is installed and fails. */
  log: (text: string) => void;
  /** CUDA_VISIBLE_DEVICES of the control plane; undefined: all. */
  visible: string | undefined;
  /** Monotonic milliseconds. */
  now: () => number;
}

const query = ["--query-gpu=index,uuid,name,memory.total", "--format=csv,noheader"];
/** Lifetime of the cached list: GPUs are rarely added or lost. */
const cacheMs = 30_000;
const queryTimeoutMs = 10_000;
const run = promisify(execFile);

export class GpuPool {
  readonly #options: GpuPoolOptions;
  #listed: { gpus: Promise<Gpu[]>; at: number } | undefined;
  #lastFailure: string | undefined;

  constructor(options: GpuPoolOptions) {
    this.#options = options;
  }

  /** Lists all visible GPUs. */
  async list(): Promise<Gpu[]> {
    const now = this.#options.now();
    if (this.#listed === undefined || now - this.#listed.at > cacheMs) {
      this.#listed = { gpus: this.#query(), at: now };
    }
    return await this.#listed.gpus;
  }

  /** Lists GPUs that no replica holds. */
  async free(): Promise<Gpu[]> {
    const taken = new Set(
      this.#options.reservations
        .list()
        .flatMap(({ kind, value }) => (kind === "gpu" ? [value] : [])),
    );
    return (await this.list()).filter(({ uuid }) => !taken.has(uuid));
  }

  /** @returns false, with nothing reserved, when another replica was faster */
  reserve(replica: string, gpus: readonly Gpu[]): boolean {
    const { reservations } = this.#options;
    const isHeld = gpus.every(({ uuid }) =>
      reservations.reserve({ kind: "gpu", value: uuid, replica }),
    );
    if (!isHeld) reservations.release(replica);
    return isHeld;
  }

  async #query(): Promise<Gpu[]> {
    try {
      const { stdout } = await run("nvidia-smi", query, { timeout: queryTimeoutMs });
      return onlyVisible(parseGpus(stdout), this.#options.visible);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") this.#noteFailure(describeError(error));
      return [];
    }
  }

  #noteFailure(text: string): void {
    if (text === this.#lastFailure) return;
    this.#lastFailure = text;
    this.#options.log(`nvidia-smi failed, so replicas get no GPU: ${text}`);
  }
}

/** Parses lines such as `0, GPU-5f2c…, NVIDIA H100 80GB HBM3, 81559 MiB`. */
export function parseGpus(text: string): Gpu[] {
  return text.split("\n").flatMap((line) => {
    const [index = "", uuid = "", name = "", memory = ""] = line
      .split(",")
      .map((part) => part.trim());
    if (!/^\d+$/.test(index) || uuid === "" || name === "") return [];
    return [{ index: Number(index), uuid, name, memoryMiB: Number.parseInt(memory, 10) || 0 }];
  });
}

/** Applies the variable as CUDA does: indices or UUID prefixes, up to the first invalid one. */
function onlyVisible(gpus: Gpu[], visible: string | undefined): Gpu[] {
  if (visible === undefined) return gpus;
  const chosen: Gpu[] = [];
  for (const word of visible.split(",").map((part) => part.trim())) {
    const found = gpus.find(
      ({ index, uuid }) => String(index) === word || (word !== "" && uuid.startsWith(word)),
    );
    if (found === undefined) break;
    chosen.push(found);
  }
  return chosen;
}
