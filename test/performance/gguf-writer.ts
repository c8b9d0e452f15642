// Writer of GGUF files (version 3, little-endian), which streams the tensors.
// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

import { type FileHandle, open } from "node:fs/promises";

const alignmentBytes = 32;
const version = 3;

/** Value types of the metadata, by their number in the format. */
const valueType = { uint32: 4, int32: 5, float32: 6, boolean: 7, string: 8, array: 9 } as const;

/** Tensor types, by their number in ggml. */
export const tensorType = { float32: 0, float16: 1 } as const;

export type MetadataValue =
  | { type: "uint32" | "float32"; value: number }
  | { type: "boolean"; value: boolean }
  | { type: "string"; value: string }
  | { type: "int32[]" | "float32[]"; value: readonly number[] }
  | { type: "string[]"; value: readonly string[] };

export interface TensorDescription {
  name: string;
  /** Innermost dimension first, as ggml counts them. */
  dimensions: readonly number[];
  type: (typeof tensorType)[keyof typeof tensorType];
  /** Yields the tensor's bytes in order; each piece is written before the next is requested. */
  pieces: () => Iterable<Uint8Array>;
}

/** Collects the small values of the header into one buffer. */
class ByteCollector {
  private readonly parts: Buffer[] = [];

  uint32(value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    this.parts.push(bytes);
  }

  uint64(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    this.parts.push(bytes);
  }

  float32(value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    this.parts.push(bytes);
  }

  string(value: string): void {
    const bytes = Buffer.from(value, "utf8");
    this.uint64(bytes.length);
    this.parts.push(bytes);
  }

  byte(value: number): void {
    this.parts.push(Buffer.of(value));
  }

  result(): Buffer {
    return Buffer.concat(this.parts);
  }
}

export async function writeGguf(
  path: string,
  metadata: ReadonlyMap<string, MetadataValue>,
  tensors: readonly TensorDescription[],
): Promise<void> {
  const file = await open(path, "wx");
  try {
    const header = encodeHeader(metadata, tensors);
    await writeAll(file, header);
    await writeAll(file, Buffer.alloc(padding(header.length)));
    for (const tensor of tensors) await writeTensor(file, tensor);
  } finally {
    await file.close();
  }
}

function encodeHeader(
  metadata: ReadonlyMap<string, MetadataValue>,
  tensors: readonly TensorDescription[],
): Buffer {
  const bytes = new ByteCollector();
  for (const letter of Buffer.from("GGUF", "ascii")) bytes.byte(letter);
  bytes.uint32(version);
  bytes.uint64(tensors.length);
  bytes.uint64(metadata.size);
  for (const [key, value] of metadata) {
    bytes.string(key);
    encodeValue(bytes, value);
  }
  let offset = 0;
  for (const tensor of tensors) {
    bytes.string(tensor.name);
    bytes.uint32(tensor.dimensions.length);
    for (const dimension of tensor.dimensions) bytes.uint64(dimension);
    bytes.uint32(tensor.type);
    bytes.uint64(offset);
    const sizeBytes = tensorSizeBytes(tensor);
    offset += sizeBytes + padding(sizeBytes);
  }
  return bytes.result();
}

function encodeValue(bytes: ByteCollector, { type, value }: MetadataValue): void {
  switch (type) {
    case "uint32":
      bytes.uint32(valueType.uint32);
      bytes.uint32(value);
      break;
    case "float32":
      bytes.uint32(valueType.float32);
      bytes.float32(value);
      break;
    case "boolean":
      bytes.uint32(valueType.boolean);
      bytes.byte(value ? 1 : 0);
      break;
    case "string":
      bytes.uint32(valueType.string);
      bytes.string(value);
      break;
    case "int32[]":
      encodeArrayHead(bytes, valueType.int32, value.length);
      for (const element of value) bytes.uint32(element);
      break;
    case "float32[]":
      encodeArrayHead(bytes, valueType.float32, value.length);
      for (const element of value) bytes.float32(element);
      break;
    case "string[]":
      encodeArrayHead(bytes, valueType.string, value.length);
      for (const element of value) bytes.string(element);
      break;
  }
}

function encodeArrayHead(bytes: ByteCollector, elementType: number, length: number): void {
  bytes.uint32(valueType.array);
  bytes.uint32(elementType);
  bytes.uint64(length);
}

async function writeTensor(file: FileHandle, tensor: TensorDescription): Promise<void> {
  let writtenBytes = 0;
  for (const piece of tensor.pieces()) {
    await writeAll(file, piece);
    writtenBytes += piece.byteLength;
  }
  const expectedBytes = tensorSizeBytes(tensor);
  if (writtenBytes !== expectedBytes) {
    throw new Error(`${tensor.name}: ${writtenBytes} bytes instead of ${expectedBytes}`);
  }
  await writeAll(file, Buffer.alloc(padding(writtenBytes)));
}

/** Writes everything, as a single write may be short. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let position = 0;
  while (position < bytes.byteLength) {
    const { bytesWritten } = await file.write(bytes, position);
    if (bytesWritten === 0) throw new Error("the disk took no more bytes");
    position += bytesWritten;
  }
}

function tensorSizeBytes({ dimensions, type }: TensorDescription): number {
  const elements = dimensions.reduce((product, dimension) => product * dimension, 1);
  return elements * (type === tensorType.float32 ? 4 : 2);
}

function padding(sizeBytes: number): number {
  return (alignmentBytes - (sizeBytes % alignmentBytes)) % alignmentBytes;
}
