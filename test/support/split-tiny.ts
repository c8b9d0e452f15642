// Splits the tiny model into two files as llama-gguf-split does.
import { readFileSync, writeFileSync } from "node:fs";
import { type GgufTensor, readGguf } from "../../source/store/gguf/read-gguf.ts";
import { tensorBytes } from "../../source/store/gguf/tensor-size.ts";
import { tinyFile } from "./command-line.ts";
import { int32, text, uint16, uint32, uint64 } from "./gguf-builder.ts";

const alignment = 32;

/** Gives the two paths. */
export function splitTiny(first: string, second: string): string[] {
  const half = Math.ceil(header.tensors.length / 2);
  writeFileSync(first, part(0, ownMetadata, header.tensors.slice(0, half)));
  writeFileSync(second, part(1, Buffer.alloc(0), header.tensors.slice(half)));
  return [first, second];
}

const header = await readGguf(tinyFile);
const bytes = readFileSync(tinyFile);
const headBytes = 4 + 4 + 8 + 8;
/** The tensors' descriptions begin with the length and the name of the first. */
const [firstTensor] = header.tensors;
const tensorsAt = bytes.indexOf(lengthAndText(firstTensor?.name ?? ""));
const ownMetadata = bytes.subarray(headBytes, tensorsAt);

function part(index: number, metadata: Buffer, tensors: readonly GgufTensor[]): Buffer {
  const split = Buffer.concat([
    entry("split.no", uint16(index)),
    entry("split.count", uint16(2)),
    entry("split.tensors.count", int32(header.tensors.length)),
  ]);
  const count = (index === 0 ? header.metadata.size : 0) + 3;
  const datas = tensors.map((tensor) => {
    const start = header.dataOffset + tensor.offset;
    return padded(bytes.subarray(start, start + tensorBytes(tensor)));
  });
  let offset = 0;
  const descriptions = tensors.map(({ name, shape, type }, at) => {
    const description = Buffer.concat([
      lengthAndText(name),
      uint32(shape.length).bytes,
      ...shape.map((length) => uint64(BigInt(length)).bytes),
      uint32(type).bytes,
      uint64(BigInt(offset)).bytes,
    ]);
    offset += datas[at]?.length ?? 0;
    return description;
  });
  const head = Buffer.concat([
    Buffer.from("GGUF"),
    uint32(3).bytes,
    uint64(BigInt(tensors.length)).bytes,
    uint64(BigInt(count)).bytes,
    metadata,
    split,
    ...descriptions,
  ]);
  return Buffer.concat([padded(head), ...datas]);
}

function padded(content: Buffer): Buffer {
  const missing = (alignment - (content.length % alignment)) % alignment;
  return Buffer.concat([content, Buffer.alloc(missing)]);
}

function entry(key: string, value: { type: number; bytes: Buffer }): Buffer {
  return Buffer.concat([lengthAndText(key), uint32(value.type).bytes, value.bytes]);
}

function lengthAndText(value: string): Buffer {
  return text(value).bytes;
}
