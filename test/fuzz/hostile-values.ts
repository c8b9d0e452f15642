// JSON values and texts that break careless servers.
import type { Dice } from "./dice.ts";

const numbers = [
  ...[0, -0, 1, -1, 2, 0.5, -0.5, 1e-300, 1e300, -1e300, 2 ** 31 - 1, 2 ** 31, -(2 ** 31)],
  ...[2 ** 32, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 65_536, 4097, 1e9],
];

const texts = [
  ...["", " ", "\0", "\n", "\r\n\r\n", "null", "true", "0", "-1", "1e999", "NaN", "Infinity"],
  ...["__proto__", "constructor", "toString", "../../../etc/passwd", "/etc/passwd", "/dev/zero"],
  ...["\ud800", "\udfff\ud800", "\ufeff", "\u202e", "👩‍👩‍👧", "\u{f0000}", "e\u0301".repeat(50)],
  ...[
    "<|im_start|>",
    "<|im_end|>",
    "<__media__>",
    "{{ .System }}",
    "{% for %}",
    "{{",
    "%s%n",
    "$&",
  ],
  ...["(a+)+$", "[", "^(a?){50}a{50}$", "root ::= root", "sha256:", `sha256:${"0".repeat(64)}`],
  ...["data:image/png;base64,", "data:,", "http://127.0.0.1:1/", "file:///etc/passwd", "5m", "-1s"],
];

/** Depth up to which the server reads JSON. */
const maxLevels = 500;

/** Returns a random JSON value of any size and depth. */
export function hostileValue(dice: Dice, depth = 0): unknown {
  const kind = dice.below(depth > 3 ? 5 : 9);
  if (kind === 0) return null;
  if (kind === 1) return dice.chance(0.5);
  if (kind === 2) return dice.pick(numbers);
  if (kind <= 4) return hostileText(dice);
  if (kind === 5) return dice.times(dice.below(4), () => hostileValue(dice, depth + 1));
  if (kind === 6) return hostileObject(dice, depth);
  return depth === 0 ? largeValue(dice) : hostileText(dice);
}

export function hostileText(dice: Dice): string {
  if (dice.chance(0.7)) return dice.pick(texts);
  if (dice.chance(0.5)) return dice.bytes(dice.below(40)).toString("latin1");
  return dice.pick(texts).repeat(1 + dice.below(200));
}

function hostileObject(dice: Dice, depth: number): object {
  const entries = dice.times(dice.below(4), () => {
    return [hostileText(dice), hostileValue(dice, depth + 1)] as const;
  });
  return Object.fromEntries(entries);
}

/** Values that are expensive to traverse. */
function largeValue(dice: Dice): unknown {
  const size = dice.pick([100, 1000, 20_000]);
  return dice.pick([
    () => dice.pick(texts).repeat(size),
    () => Array.from({ length: size }, () => dice.pick(numbers)),
    () => Array.from({ length: size }, () => hostileText(dice)),
    () => nested(Math.min(size, maxLevels), (inner) => [inner]),
    () => nested(Math.min(size, maxLevels), (inner) => ({ a: inner })),
    () => Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, index])),
  ])();
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}
