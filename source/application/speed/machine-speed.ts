// Speeds of models on this machine, by what is known of it and of each model.
import type { KnownRate } from "../../base/quantities.ts";
import type { ProductPaths } from "../../configuration/paths.ts";
import type { Settings } from "../../configuration/settings.ts";
import type { ResolvedModel } from "../../store/library/resolved-model.ts";
import { freeCardBytes } from "../models/memory-fit.ts";
import { middleOf, type SpeedDevice } from "./expected-speed.ts";
import { SpeedRecords } from "./speed-records.ts";

type Measured = Pick<ResolvedModel, "digest" | "facts" | "sizeBytes">;

export class MachineSpeed {
  readonly records: SpeedRecords;
  readonly #gpu: Settings["gpu"];
  #cardBytes: Promise<number | undefined> | undefined;

  private constructor(records: SpeedRecords, gpu: Settings["gpu"]) {
    this.records = records;
    this.#gpu = gpu;
  }

  static async open(
    { gpu }: Pick<Settings, "gpu">,
    { cache }: Pick<ProductPaths, "cache">,
  ): Promise<MachineSpeed> {
    return new MachineSpeed(await SpeedRecords.open(cache), gpu);
  }

  async ensureMeasured(): Promise<void> {
    await this.records.ensureMeasured();
  }

  async speedOf({ digest, facts, sizeBytes }: Measured): Promise<KnownRate> {
    const device = await this.deviceFor(sizeBytes);
    return this.records.speedOf({ digest, weights: facts }, device);
  }

  /** Returns tokens per second: as measured, else as expected; undefined if nothing is known. */
  async likelySpeed(model: Measured): Promise<number | undefined> {
    const { measured, expected } = await this.speedOf(model);
    return measured ?? (expected && middleOf(expected));
  }

  /** A model that the cards cannot hold whole is as slow as the processor. */
  async deviceFor(sizeBytes: number): Promise<SpeedDevice> {
    const isMac = process.platform === "darwin" && process.arch === "arm64";
    if (isMac) return this.#gpu === "cpu" ? "cpu" : "gpu";
    return sizeBytes <= ((await this.cardBytes()) ?? 0) ? "gpu" : "cpu";
  }

  /** Returns the memory of the cards when it was first asked for; undefined without a usable one. */
  async cardBytes(): Promise<number | undefined> {
    this.#cardBytes ??= freeCardBytes(this.#gpu);
    return await this.#cardBytes;
  }
}
