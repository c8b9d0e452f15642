// The processor's temperature, if the machine reports it.

/** Minimum interval: temperatures change slowly, and a reading starts programs. */
const restMs = 5000;

export type ReadTemperature = () => Promise<number | undefined>;

/** Degrees Celsius; undefined without a readable sensor. */
export const readCpuTemperature: ReadTemperature = async () => {
  // Imported on first use: it supports every system there is.
  const { cpuTemperature } = await import("systeminformation");
  const { main } = await cpuTemperature();
  return typeof main === "number" && main > 0 ? main : undefined;
};

/** The newest temperature; a slow sensor delays nobody. */
export class CpuTemperature {
  readonly #read: ReadTemperature;
  #celsius: number | undefined;
  #askedAtMs = -Infinity;
  #isAsking = false;

  constructor(read: ReadTemperature = readCpuTemperature) {
    this.#read = read;
  }

  /** The last reading; starts a new one when it is old. */
  get celsius(): number | undefined {
    const nowMs = performance.now();
    if (!this.#isAsking && nowMs - this.#askedAtMs >= restMs) {
      this.#isAsking = true;
      this.#askedAtMs = nowMs;
      this.#read().then(
        (celsius) => this.#keep(celsius),
        // A machine without sensors has no temperature: that is no error.
        () => this.#keep(undefined),
      );
    }
    return this.#celsius;
  }

  #keep(celsius: number | undefined): void {
    this.#celsius = celsius;
    this.#isAsking = false;
  }
}
