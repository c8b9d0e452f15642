// Tensors of random weights.

import { type TensorDescription, tensorType } from "./gguf-writer.ts";
import { createRandom, drawNormal } from "./random.ts";

const pieceRows = 1024;

interface MatrixOptions {
  /** Factor of the weights; at 1 the output is about as large as the input. */
  scale?: number;
  /** Rows for which this is false are all zero. */
  isUsedRow?: (row: number) => boolean;
}

export function matrix(
  name: string,
  inputs: number,
  outputs: number,
  options: MatrixOptions = {},
): TensorDescription {
  const { scale = 1, isUsedRow = () => true } = options;
  return {
    name,
    dimensions: [inputs, outputs],
    type: tensorType.float16,
    *pieces() {
      const random = createRandom(seedOf(name));
      const table = createWeightTable(random, scale / Math.sqrt(inputs));
      for (let start = 0; start < outputs; start += pieceRows) {
        const rows = Math.min(pieceRows, outputs - start);
        const weights = new Uint16Array(rows * inputs);
        for (let row = 0; row < rows; row++) {
          if (isUsedRow(start + row)) fillRow(weights, row * inputs, inputs, table, random);
        }
        yield new Uint8Array(weights.buffer);
      }
    },
  };
}

/** 65,536 normally distributed weights to draw from: half a billion logarithms take too long. */
function createWeightTable(random: () => number, deviation: number): Uint16Array {
  return Uint16Array.from({ length: 65_536 }, () => toFloat16(drawNormal(random) * deviation));
}

function fillRow(
  weights: Uint16Array,
  start: number,
  length: number,
  table: Uint16Array,
  random: () => number,
): void {
  for (let index = start; index < start + length; index += 2) {
    const draw = random();
    weights[index] = table[draw & 0xffff] ?? 0;
    weights[index + 1] = table[draw >>> 16] ?? 0;
  }
}

/** Bits of the nearest half-precision number toward zero; ample for random weights. */
function toFloat16(value: number): number {
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, value);
  const single = bits.getUint32(0);
  const sign = (single >>> 16) & 0x8000;
  const exponent = ((single >>> 23) & 0xff) - 127 + 15;
  if (exponent <= 0) return sign;
  if (exponent >= 31) throw new Error(`${value} is too large for half precision`);
  return sign | (exponent << 10) | ((single >>> 13) & 0x3ff);
}

function seedOf(name: string): number {
  return [...Buffer.from(name)].reduce((seed, byte) => Math.imul(seed, 31) + byte, 7);
}

/** Returns a tensor with the same number everywhere, in single precision. */
export function constant(
  name: string,
  dimensions: readonly number[],
  value: number,
): TensorDescription {
  const length = dimensions.reduce((product, dimension) => product * dimension, 1);
  const numbers = new Float32Array(length).fill(value);
  return {
    name,
    dimensions,
    type: tensorType.float32,
    pieces: () => [new Uint8Array(numbers.buffer)],
  };
}
