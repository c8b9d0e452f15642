// Expected speed of a model's answers: each token reads all active weights once from memory, layer after layer.

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

/** Weights that a token needs. */
export interface TokenWeights {
  activeBytes: number;
  layers: number;
}

/**
 * Time of a layer that does not depend on the size of its weights, such as the wait of the processor's
 * cores for each other. On two cores it was nearly half of a token's 10 ms in a model with 98 MB.
 */
const layerSeconds: Readonly<Record<SpeedDevice, number>> = { cpu: 0.00015, gpu: 0.00003 };

export function expectedSpeed(
  { activeBytes, layers }: TokenWeights,
  { bytesPerSecond, factor }: DeviceSpeed,
  device: SpeedDevice,
): ExpectedSpeed {
  const spread = factor === undefined ? spreads.usual : spreads.learned;
  const readingSeconds = activeBytes / (bytesPerSecond * (factor ?? usualFactor));
  const middle = 1 / (readingSeconds + layers * layerSeconds[device]);
  return { low: middle * (1 - spread), high: middle * (1 + spread) };
}

/** Returns the bytes per second that an answer read; undefined for one that read for less than half of the time. */
export function reachedBytes(
  { activeBytes, layers }: TokenWeights,
  tokensPerSecond: number,
  device: SpeedDevice,
): number | undefined {
  const otherSeconds = layers * layerSeconds[device];
  const readingSeconds = 1 / tokensPerSecond - otherSeconds;
  return readingSeconds > otherSeconds ? activeBytes / readingSeconds : undefined;
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
