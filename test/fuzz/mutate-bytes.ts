// Damage to bytes, as by a broken disk, a faulty program or an attacker.
import type { Dice } from "./dice.ts";

const numbers = [
  ...[0n, 1n, 0x7fn, 0x80n, 0xffn, 0x7fffn, 0xffffn, 0x7fffffffn, 0x80000000n, 0xffffffffn],
  ...[2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n],
];

/** Returns a copy with one to four changes, or another length. */
export function mutateBytes(dice: Dice, original: Buffer): Buffer {
  let bytes = Buffer.from(original);
  for (let left = 1 + dice.below(4); left > 0; left -= 1) {
    bytes = Buffer.from(dice.pick(mutations)(dice, bytes));
  }
  return bytes;
}

type Mutation = (dice: Dice, bytes: Buffer) => Buffer;

const mutations: readonly Mutation[] = [
  (dice, bytes) => set(bytes, dice.below(bytes.length), dice.below(256)),
  (dice, bytes) => {
    const at = dice.below(bytes.length);
    return set(bytes, at, (bytes[at] ?? 0) ^ (1 << dice.below(8)));
  },
  (dice, bytes) => overwrite(dice, bytes, number(dice)),
  (dice, bytes) => overwrite(dice, bytes, dice.bytes(1 + dice.below(16))),
  (dice, bytes) => overwrite(dice, bytes, slice(dice, bytes)),
  (dice, bytes) => insert(dice, bytes, slice(dice, bytes)),
  (dice, bytes) => insert(dice, bytes, dice.bytes(1 + dice.below(16))),
  (dice, bytes) => {
    const at = dice.below(bytes.length);
    const behind = at + 1 + dice.below(64);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(behind)]);
  },
  (dice, bytes) => (dice.chance(0.3) ? bytes.subarray(0, dice.below(bytes.length)) : bytes),
];

function number(dice: Dice): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(dice.pick(numbers));
  return bytes.subarray(0, dice.pick([1, 2, 4, 8]));
}

function slice(dice: Dice, bytes: Buffer): Buffer {
  const from = dice.below(bytes.length);
  return bytes.subarray(from, from + 1 + dice.below(64));
}

function set(bytes: Buffer, at: number, value: number): Buffer {
  if (at < bytes.length) bytes[at] = value;
  return bytes;
}

function overwrite(dice: Dice, bytes: Buffer, part: Buffer): Buffer {
  Buffer.from(part).copy(bytes, dice.below(bytes.length));
  return bytes;
}

function insert(dice: Dice, bytes: Buffer, part: Buffer): Buffer {
  const at = dice.below(bytes.length);
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
}
