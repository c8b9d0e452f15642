// The flags that say how an app grows and shrinks.
import type { ScaleChange } from "../../cloud/admin/documents.ts";
import type { Flags } from "./flags.ts";
import { readCount, readTime } from "./read-values.ts";

/** Only what was typed. @throws ProductError `COMMAND_USAGE` */
export function readScale(flags: Flags): ScaleChange {
  const values: { [Name in keyof ScaleChange]: ScaleChange[Name] | undefined } = {
    minConcurrency: readCount("--min-concurrency", flags.minConcurrency, { most: 1000 }),
    maxConcurrency: readCount("--max-concurrency", flags.maxConcurrency, { least: 1, most: 1000 }),
    concurrencyBuffer: readCount("--concurrency-buffer", flags.concurrencyBuffer, { most: 1000 }),
    concurrencyBufferPerc: readCount("--concurrency-buffer-perc", flags.concurrencyBufferPerc, {
      most: 1000,
    }),
    maxMultiplexing: readCount("--max-multiplexing", flags.maxMultiplexing, { least: 1 }),
    scalingDelayMs: readTime("--scaling-delay", flags.scalingDelay),
    keepAliveMs: readTime("--keep-alive", flags.keepAlive),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
