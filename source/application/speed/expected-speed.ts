// Expected speed of a model's answers: each token reads all active weights once from memory.

/** Where a model's weights are: in the machine's memory, or on graphics cards. */
export type SpeedDevice = "cpu" | "gpu";

/** Knowledge about one device. */
export interface DeviceSpeed {
  /** Bytes per second that its cores read from memory. */
  bytesPerSecond: number;
  /** Share of it that answers reach; undefined until one was measured. */
  factor?: number | undefined;
}

/** Tokens per second of one answer. */
export interface ExpectedSpeed {
  low: number;
  high: number;
}

/** Share of the bandwidth that answers usually reach, until this machine has given some. */
export const usualFactor = 0.7;
/** Half the width of the range, relative to its middle. */
const spreads = { usual: 0.4, learned: 0.25 };

/** Time of a token that does not depend on the weights: sampling, and the runner's own work. */
const stepSeconds = 0.0007;

/** @param activeBytes weights that a token reads */
export function expectedSpeed(activeBytes: number, device: DeviceSpeed): ExpectedSpeed {
  const spread = device.factor === undefined ? spreads.usual : spreads.learned;
  const readingSeconds = activeBytes / (device.bytesPerSecond * (device.factor ?? usualFactor));
  const middle = 1 / (readingSeconds + stepSeconds);
  return { low: middle * (1 - spread), high: middle * (1 + spread) };
}

/** Returns the bytes per second that an answer read; undefined for one that was hardly reading. */
export function reachedBytes(activeBytes: number, tokensPerSecond: number): number | undefined {
  const readingSeconds = 1 / tokensPerSecond - stepSeconds;
  return readingSeconds > stepSeconds ? activeBytes / readingSeconds : undefined;
}

export function middleOf({ low, high }: ExpectedSpeed): number {
  return (low + high) / 2;
}

/** Newer answers count more: one in so many at most. */
const memoryAnswers = 8;

/** Averages a value with earlier ones, of which the last few count. */
export function learned(before: number | undefined, answers: number, value: number): number {
  if (before === undefined || answers === 0) return value;
  const weight = 1 / Math.min(answers + 1, memoryAnswers);
  return before * (1 - weight) + value * weight;
}
