// Speed of this machine: its memory bandwidth, and the speeds of real answers. Kept in a file of the cache, which any process of the user may replace.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Static, Type } from "typebox";
import { Check } from "typebox/schema";
import { parseJson } from "../../base/json.ts";
import type { KnownRate } from "../../base/quantities.ts";
import { writeFileAtomically } from "../../store/library/write-atomically.ts";
import {
  type DeviceSpeed,
  expectedSpeed,
  learned,
  reachedBytes,
  type SpeedDevice,
  type TokenWeights,
} from "./expected-speed.ts";
import { measureBandwidth } from "./memory-bandwidth.ts";

const positive = Type.Number({ exclusiveMinimum: 0 });
const DeviceRecord = Type.Object({
  bytesPerSecond: positive,
  factor: Type.Optional(positive),
  /** Answers behind the factor. */
  answers: Type.Integer({ minimum: 0 }),
});
const ModelRecord = Type.Object({
  tokensPerSecond: positive,
  answers: Type.Integer({ minimum: 1 }),
});
const Records = Type.Object({
  version: Type.Literal(1),
  devices: Type.Object({ cpu: Type.Optional(DeviceRecord), gpu: Type.Optional(DeviceRecord) }),
  /** By the model's digest. */
  models: Type.Record(Type.String(), ModelRecord),
});
type Records = Static<typeof Records>;

const none: Records = { version: 1, devices: {}, models: {} };
const modelsMaximum = 500;
/** Models that fit into a processor's caches do not show the speed of its memory. */
const leastLearnedBytes = 48 * 1024 ** 2;

/** An answer's own speed. */
export interface AnswerSpeed {
  /** Digest of the model; undefined for a file without one. */
  digest: string | undefined;
  weights: TokenWeights;
  /** Undefined for a model on several devices. */
  device: SpeedDevice | undefined;
  tokensPerSecond: number;
  /** False for an answer that says nothing about memory, such as one with guessed tokens. */
  isPlain: boolean;
}

export class SpeedRecords {
  readonly #file: string;
  #records: Records = none;
  #measuring: Promise<void> | undefined;

  private constructor(file: string) {
    this.#file = file;
  }

  /** @param cacheFolder modelctl's; a damaged file counts as missing */
  static async open(cacheFolder: string): Promise<SpeedRecords> {
    const records = new SpeedRecords(path.join(cacheFolder, "speed.json"));
    await records.refresh();
    return records;
  }

  /** Reads the file again, which other processes may have changed. */
  async refresh(): Promise<void> {
    const text = await readFile(this.#file, "utf8").catch(() => "");
    const value = parseJson(text);
    this.#records = Check(Records, value) ? value : none;
  }

  device(kind: SpeedDevice): DeviceSpeed | undefined {
    return this.#records.devices[kind];
  }

  /** @param device that the model would run on */
  speedOf(
    { digest, weights }: Pick<AnswerSpeed, "digest" | "weights">,
    device: SpeedDevice,
  ): KnownRate {
    const model = digest === undefined ? undefined : this.#records.models[digest];
    const known = this.device(device);
    return {
      ...(model !== undefined && { measured: model.tokensPerSecond }),
      ...(known !== undefined &&
        weights.activeBytes > 0 && { expected: expectedSpeed(weights, known, device) }),
    };
  }

  /**
   * Measures the processor's memory bandwidth, once for all processes: later calls return at once.
   * A failure leaves it unknown.
   */
  async ensureMeasured(measure: () => Promise<number> = measureBandwidth): Promise<void> {
    if (this.device("cpu") !== undefined) return;
    this.#measuring ??= this.#measure(measure).finally(() => {
      this.#measuring = undefined;
    });
    await this.#measuring;
  }

  async #measure(measure: () => Promise<number>): Promise<void> {
    const bytesPerSecond = await measure().catch(() => 0);
    if (bytesPerSecond <= 0) return;
    await this.#change(({ devices, ...records }) => ({
      ...records,
      devices: { ...devices, cpu: devices.cpu ?? { bytesPerSecond, answers: 0 } },
    }));
  }

  /** Learns from an answer that ran alone. The first one on a card measures the card. */
  async learn(answer: AnswerSpeed): Promise<void> {
    await this.#change((records) => withDevice(withModel(records, answer), answer));
  }

  /** An unwritable cache costs only what was learned. */
  async #change(change: (records: Records) => Records): Promise<void> {
    await this.refresh();
    this.#records = change(this.#records);
    await writeFileAtomically(this.#file, `${JSON.stringify(this.#records)}\n`).catch(() => {});
  }
}

function withModel(records: Records, { digest, tokensPerSecond }: AnswerSpeed): Records {
  if (digest === undefined) return records;
  const { [digest]: before, ...others } = records.models;
  const answers = before?.answers ?? 0;
  const kept = Object.entries(others).slice(-(modelsMaximum - 1));
  const now = {
    tokensPerSecond: learned(before?.tokensPerSecond, answers, tokensPerSecond),
    answers: answers + 1,
  };
  return { ...records, models: { ...Object.fromEntries(kept), [digest]: now } };
}

function withDevice(records: Records, answer: AnswerSpeed): Records {
  const { device, weights, tokensPerSecond, isPlain } = answer;
  const isLarge = weights.activeBytes >= leastLearnedBytes;
  if (device === undefined || !isPlain || !isLarge) return records;
  const reached = reachedBytes(weights, tokensPerSecond, device);
  if (reached === undefined) return records;
  const before = records.devices[device];
  // A card's bandwidth cannot be measured from here: its answers are the measurement.
  const bytesPerSecond = before?.bytesPerSecond ?? (device === "gpu" ? reached : undefined);
  if (bytesPerSecond === undefined) return records;
  const answers = before?.answers ?? 0;
  const factor = learned(before?.factor, answers, reached / bytesPerSecond);
  const now = { bytesPerSecond, factor, answers: answers + 1 };
  return { ...records, devices: { ...records.devices, [device]: now } };
}
