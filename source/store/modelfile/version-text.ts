// Versions in REQUIRES lines: reads and compares them, and refuses models that need a later Ollama.
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";

const identifier = "[0-9A-Za-z-]+";
const preRelease = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const number = "(?:0|[1-9]\\d*)";
const version = new RegExp(
  `^${number}(?:\\.${number}(?:\\.${number}(?:-${preRelease}(?:\\.${preRelease})*)?(?:\\+${identifier}(?:\\.${identifier})*)?)?)?$`,
);

/**
 * Returns a semantic version without its `v`, or undefined for other text. As in Go's
 * `golang.org/x/mod/semver`, `1` and `1.2` are versions too.
 */
export function readVersion(text: string): string | undefined {
  const bare = text.startsWith("v") ? text.slice(1) : text;
  return version.test(bare) ? bare : undefined;
}

/** True when a version, as `readVersion` gives it, is later than another. Missing parts are 0. */
export function isLater(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)];
  for (const [at, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return compareLabels(a.labels, b.labels) > 0;
}

function partsOf(version: string): { numbers: number[]; labels: string[] } {
  const [precise = ""] = version.split("+");
  const dash = precise.indexOf("-");
  const numbers = (dash < 0 ? precise : precise.slice(0, dash)).split(".").map(Number);
  while (numbers.length < 3) numbers.push(0);
  return { numbers, labels: dash < 0 ? [] : precise.slice(dash + 1).split(".") };
}

/** Rule 11 of https://semver.org: a pre-release comes before its release, numbers before words. */
function compareLabels(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [at, label] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (label === other) continue;
    const [isNumber, isOtherNumber] = [label, other].map((text) => /^\d+$/.test(text));
    if (isNumber && isOtherNumber) return Number(label) - Number(other);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return label < other ? -1 : 1;
  }
  return a.length - b.length;
}

/** The Ollama whose Modelfiles, templates and parameters this program understands. */
export const ollamaVersion = "0.33.0";

/**
 * @param requires from the model's configuration; an invalid version requires nothing
 * @throws ProductError `STORE_VERSION_REQUIRED`
 */
export function refuseLaterVersion(model: string, requires: string | undefined): void {
  const version = requires === undefined ? undefined : readVersion(requires);
  if (version === undefined || !isLater(version, ollamaVersion)) return;
  throw new ProductError(storeErrors.versionRequired, {
    message: `model '${model}' requires Ollama ${version} or later; this modelctl matches Ollama ${ollamaVersion}.`,
    hint: "Update modelctl, or create a model from it with a lower REQUIRES if you know that it works.",
    param: "model",
  });
}
