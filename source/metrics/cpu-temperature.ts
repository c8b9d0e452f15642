// How hot the processor is, where the machine tells.

/** Asked no more often: nothing that is heated changes faster, and asking starts programs. */
const restMs = 5000;

export type ReadTemperature = () => Promise<number | undefined>;

/** Degrees Celsius; undefined where there is no sensor, or none that this user may read. */
export const readCpuTemperature: ReadTemperature = async () => {
  // Imported when somebody looks: it knows every system there is.
  const { cpuTemperature } = await import("systeminformation");
  const { main } = await cpuTemperature();
  return typeof main === "number" && main > 0 ? main : undefined;
};

/** The newest temperature; a sensor that is slow holds up nobody. */
export class CpuTemperature {
  readonly #read: ReadTemperature;
  #celsius: number | undefined;
  #askedAtMs = -Infinity;
  #isAsking = false;

  constructor(read: ReadTemperature = readCpuTemperature) {
    this.#read = read;
  }

  /** What was read last; begins to read anew when that is old. */
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
