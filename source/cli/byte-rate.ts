// Reads a rate such as 5M: bytes a second.
import { usageError } from "./errors.ts";

const factors: Record<string, number> = { "": 1, k: 1e3, m: 1e6, g: 1e9 };

/** @throws ProductError `COMMAND_USAGE` */
export function parseByteRate(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)i?b?(?:\/s)?$/i.exec(text.trim());
  const rate = Number(match?.[1]) * (factors[match?.[2]?.toLowerCase() ?? ""] ?? Number.NaN);
  if (!(rate >= 1)) {
    throw usageError(
      `--limit-rate ${text} is not a rate.`,
      "Use bytes a second, such as 500k, 5M or 1.5G.",
    );
  }
  return rate;
}
