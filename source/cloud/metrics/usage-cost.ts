// Cost of GPU time, from a table of prices.
import { replicaTimes, type TimeSpent, type UsageFigures } from "./usage-figures.ts";

/** Price of one GPU hour by GPU name; "*" for all others. */
export type Prices = Readonly<Record<string, number>>;

export interface UsageCost {
  total: number;
  byTime: TimeSpent;
  /** Price per 1,000 tokens, prompt and completion together; undefined without tokens. */
  perThousandTokens: number | undefined;
  /** Share of idle replicas in the cost, 0..1; undefined without cost. */
  idleShare: number | undefined;
}

const hourMs = 3_600_000;

/** Returns the price of the longest matching name: "H100" for "NVIDIA H100 80GB HBM3". */
export function priceOf(gpu: string, prices: Prices): number {
  const names = Object.keys(prices).filter((name) => name !== "*" && gpu.includes(name));
  const best = names.sort((one, other) => other.length - one.length)[0];
  return prices[best ?? "*"] ?? 0;
}

export function costOf(
  { gpuMs, promptTokens, completionTokens }: UsageFigures,
  prices: Prices,
): UsageCost {
  const byTime: TimeSpent = { starting: 0, busy: 0, idle: 0, draining: 0 };
  for (const [gpu, spent] of Object.entries(gpuMs)) {
    const price = priceOf(gpu, prices);
    for (const kind of replicaTimes) byTime[kind] += (spent[kind] / hourMs) * price;
  }
  const total = replicaTimes.reduce((sum, kind) => sum + byTime[kind], 0);
  const tokens = promptTokens + completionTokens;
  return {
    total,
    byTime,
    perThousandTokens: tokens === 0 ? undefined : (total / tokens) * 1000,
    idleShare: total === 0 ? undefined : byTime.idle / total,
  };
}
