// The range of replicas that a person types.

import type { ScaleChange } from "../../../cloud/admin/documents.ts";
import type { ScaleSettings } from "../../../cloud/app-config.ts";

export type TypedRange =
  | { readonly kind: "range"; readonly change: ScaleChange }
  /** Back to what the revision says. */
  | { readonly kind: "reset" }
  | { readonly kind: "wrong"; readonly sentence: string };

const most = 10_000;

/** `1..4`, `1-4`, `4` for the largest number alone, `reset`. */
export function readRange(text: string, scale: ScaleSettings): TypedRange {
  const typed = text.trim().toLowerCase();
  if (typed === "reset") return { kind: "reset" };
  const [, low, high] = /^(?:(\d{1,5})\s*(?:\.\.|-|to)\s*)?(\d{1,5})$/.exec(typed) ?? [];
  if (high === undefined) {
    return { kind: "wrong", sentence: `'${text}' is no range; type one such as 0..4, or reset` };
  }
  const maxConcurrency = Number(high);
  const minConcurrency = low === undefined ? scale.minConcurrency : Number(low);
  if (maxConcurrency < 1 || maxConcurrency > most) {
    return {
      kind: "wrong",
      sentence: `At most ${high} replicas is out of range; 1 to ${most} can be`,
    };
  }
  if (minConcurrency > maxConcurrency) {
    return { kind: "wrong", sentence: `${minConcurrency} is more than ${maxConcurrency}` };
  }
  return { kind: "range", change: { minConcurrency, maxConcurrency } };
}

export function rangeText({ minConcurrency, maxConcurrency }: ScaleSettings): string {
  return `${minConcurrency}..${maxConcurrency}`;
}

/** What a range means, before it is set. */
export function rangeEffect({ minConcurrency = 0, maxConcurrency = 1 }: ScaleChange): string {
  const floor =
    minConcurrency === 0
      ? "No replica is kept while nobody asks"
      : `${minConcurrency} ${minConcurrency === 1 ? "is" : "are"} kept while nobody asks`;
  return `${floor}, and at most ${maxConcurrency} run.`;
}
