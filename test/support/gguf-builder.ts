// Writes small GGUF files with any metadata, right or wrong.

/** A value with its type number of the format. */
export interface TypedValue {
  type: number;
  bytes: Buffer;
}

export interface TensorEntry {
  name: string;
  shape: number[];
  type: number;
  offset: number;
}

export interface GgufContent {
  version?: number;
  metadata: Record<string, TypedValue>;
  tensors?: TensorEntry[];
  /** Bytes of weights behind the header. */
  dataBytes?: number;
  alignment?: number;
}

export const uint8 = (value: number): TypedValue => ({ type: 0, bytes: Buffer.from([value]) });
export const int8 = (value: number): TypedValue => ({ type: 1, bytes: Buffer.from([value & 255]) });
export const uint16 = (value: number) => number(2, 2, (buffer) => buffer.writeUInt16LE(value));
export const int16 = (value: number) => number(3, 2, (buffer) => buffer.writeInt16LE(value));
export const uint32 = (value: number) => number(4, 4, (buffer) => buffer.writeUInt32LE(value));
export const int32 = (value: number) => number(5, 4, (buffer) => buffer.writeInt32LE(value));
export const float32 = (value: number) => number(6, 4, (buffer) => buffer.writeFloatLE(value));
export const bool = (value: boolean): TypedValue => ({ type: 7, bytes: Buffer.from([+value]) });
export const uint64 = (value: bigint) => number(10, 8, (buffer) => buffer.writeBigUInt64LE(value));
export const int64 = (value: bigint) => number(11, 8, (buffer) => buffer.writeBigInt64LE(value));
export const float64 = (value: number) => number(12, 8, (buffer) => buffer.writeDoubleLE(value));

export function text(value: string): TypedValue {
  return { type: 8, bytes: lengthAndBytes(value) };
}

export function array(type: number, items: readonly TypedValue[]): TypedValue {
  const head = Buffer.concat([uint32(type).bytes, count(items.length)]);
  return { type: 9, bytes: Buffer.concat([head, ...items.map(({ bytes }) => bytes)]) };
}

export function buildGguf(content: GgufContent): Buffer {
  const { version = 3, metadata, tensors = [], dataBytes = 0, alignment = 32 } = content;
  const entries = Object.entries(metadata);
  const header = Buffer.concat([
    Buffer.from("GGUF"),
    uint32(version).bytes,
    count(tensors.length),
    count(entries.length),
    ...entries.flatMap(([key, { type, bytes }]) => [
      lengthAndBytes(key),
      uint32(type).bytes,
      bytes,
    ]),
    ...tensors.flatMap(({ name, shape, type, offset }) => [
      lengthAndBytes(name),
      uint32(shape.length).bytes,
      ...shape.map(count),
      uint32(type).bytes,
      count(offset),
    ]),
  ]);
  const padding = (alignment - (header.length % alignment)) % alignment;
  return Buffer.concat([header, Buffer.alloc(padding + dataBytes)]);
}

/** The least metadata of a model whose facts can be read. */
export const leastMetadata: Record<string, TypedValue> = {
  "general.architecture": text("llama"),
  "llama.block_count": uint32(2),
  "llama.context_length": uint32(512),
  "tokenizer.ggml.tokens": array(8, [text("a"), text("b"), text("c")]),
};

function number(type: number, size: number, write: (buffer: Buffer) => void): TypedValue {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return { type, bytes };
}

function count(value: number): Buffer {
  return uint64(BigInt(value)).bytes;
}

function lengthAndBytes(value: string): Buffer {
  const bytes = Buffer.from(value, "utf8");
  return Buffer.concat([count(bytes.length), bytes]);
}
