// The flags that say how an app scales.
import type { ScaleChange } from "../../cloud/admin/documents.ts";
import type { Flags } from "./flags.ts";

/** Only what was typed. */
export function readScale(flags: Flags): ScaleChange {
  const values: { [Name in keyof ScaleChange]: ScaleChange[Name] | undefined } = {
    minConcurrency: flags.minConcurrency,
    maxConcurrency: flags.maxConcurrency,
    concurrencyBuffer: flags.concurrencyBuffer,
    concurrencyBufferPerc: flags.concurrencyBufferPerc,
    maxMultiplexing: flags.maxMultiplexing,
    scalingDelayMs: flags.scalingDelay,
    keepAliveMs: flags.keepAlive,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
