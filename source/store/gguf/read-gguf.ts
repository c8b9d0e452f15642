// Reads a GGUF file's header: metadata and the list of tensors.
// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3,
// little-endian).
import { open } from "node:fs/promises";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { requireReadableFile } from "../readable-file.ts";
import { ByteReader, EndOfFile, type ReadableBytes } from "./byte-reader.ts";

export type GgufScalar = string | number | bigint | boolean;

/** Elements are kept only for short arrays: token lists have hundreds of thousands. */
export interface GgufArray {
  length: number;
  values: GgufScalar[] | undefined;
}

export type GgufValue = GgufScalar | GgufArray;

export interface GgufTensor {
  name: string;
  shape: number[];
  /** ggml's number for the type of the elements. */
  type: number;
  /** From the beginning of the tensor data. */
  offset: number;
}

export interface GgufHeader {
  version: number;
  metadata: Map<string, GgufValue>;
  tensors: GgufTensor[];
  /** Where the tensor data begins in the file. */
  dataOffset: number;
  fileSize: number;
}

const stringType = 8;
const arrayType = 9;

/** Size and reader of every other type of value. */
const scalars: Record<number, { bytes: number; read: (from: Buffer) => GgufScalar }> = {
  0: { bytes: 1, read: (from) => from.readUInt8() },
  1: { bytes: 1, read: (from) => from.readInt8() },
  2: { bytes: 2, read: (from) => from.readUInt16LE() },
  3: { bytes: 2, read: (from) => from.readInt16LE() },
  4: { bytes: 4, read: (from) => from.readUInt32LE() },
  5: { bytes: 4, read: (from) => from.readInt32LE() },
  6: { bytes: 4, read: (from) => from.readFloatLE() },
  7: { bytes: 1, read: (from) => from.readUInt8() !== 0 },
  10: { bytes: 8, read: (from) => narrow(from.readBigUInt64LE()) },
  11: { bytes: 8, read: (from) => narrow(from.readBigInt64LE()) },
  12: { bytes: 8, read: (from) => from.readDoubleLE() },
};

const longestKeptArray = 64;
const longestKey = 65_535;
/** Longer than any template or tokenizer text in a file. */
const longestText = 64 * 1024 ** 2;

/**
 * @param file absolute path
 * @param keepsArray returns true for a key whose array is kept, whatever its length
 * @throws ProductError `STORE_FILE_MISSING`, `STORE_FILE_IS_DIRECTORY`, `STORE_FILE_UNREADABLE`,
 *   `STORE_NOT_GGUF`, `STORE_GGUF_TRUNCATED`, `STORE_GGUF_INVALID`
 */
export async function readGguf(
  file: string,
  keepsArray: (key: string) => boolean = () => false,
): Promise<GgufHeader> {
  await requireReadableFile(file, "a .gguf file");
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    return await readOpenGguf(handle, { file, size }, keepsArray);
  } finally {
    await handle.close();
  }
}

/**
 * Reads the header of a file that is open, or in memory.
 *
 * @param file name for errors; `size` in bytes
 * @throws ProductError `STORE_NOT_GGUF`, `STORE_GGUF_TRUNCATED`, `STORE_GGUF_INVALID`
 */
export async function readOpenGguf(
  bytes: ReadableBytes,
  { file, size }: { file: string; size: number },
  keepsArray: (key: string) => boolean = () => false,
): Promise<GgufHeader> {
  try {
    return await readHeader(new ByteReader(bytes, size), file, keepsArray);
  } catch (error) {
    if (error instanceof EndOfFile) {
      throw new ProductError(storeErrors.ggufTruncated, {
        message: `${file} is truncated: it ends inside its header.`,
        hint: "Download it again.",
        cause: error,
      });
    }
    if (error instanceof RangeError) throw invalid(file, error.message);
    throw error;
  }
}

async function readHeader(
  reader: ByteReader,
  file: string,
  keepsArray: (key: string) => boolean,
): Promise<GgufHeader> {
  const { size } = reader;
  const magic = (await reader.bytes(Math.min(size, 4))).toString("latin1");
  if (magic !== "GGUF") {
    throw new ProductError(storeErrors.notGguf, {
      message: `${file} is not a GGUF model: it ${
        size === 0 ? "is empty" : `begins with ${JSON.stringify(magic)} instead of "GGUF"`
      }.`,
      hint: "Name a llama.cpp model; such files end in .gguf.",
    });
  }
  const version = await reader.uint32();
  if (version !== 2 && version !== 3) {
    throw invalid(file, `its GGUF version is ${version}; only versions 2 and 3 are known`);
  }
  const tensorCount = await reader.uint64();
  const metadataCount = await reader.uint64();
  // The smallest entry takes 13 bytes: a count that cannot fit is invalid.
  if ((tensorCount + metadataCount) * 13 > reader.remaining) {
    throw invalid(
      file,
      `it announces ${metadataCount} metadata entries and ${tensorCount} tensors, but has only ${size} bytes`,
    );
  }
  const metadata = new Map<string, GgufValue>();
  for (let index = 0; index < metadataCount; index += 1) {
    const key = await readString(reader, longestKey);
    metadata.set(key, await readValue(reader, await reader.uint32(), keepsArray(key)));
  }
  const tensors: GgufTensor[] = [];
  for (let index = 0; index < tensorCount; index += 1) tensors.push(await readTensor(reader));
  const alignment = Number(metadata.get("general.alignment") ?? 32);
  if (!(alignment > 0)) throw invalid(file, `its alignment is ${alignment}`);
  const dataOffset = Math.ceil(reader.position / alignment) * alignment;
  return { version, metadata, tensors, dataOffset, fileSize: size };
}

async function readTensor(reader: ByteReader): Promise<GgufTensor> {
  const name = await readString(reader, longestKey);
  const dimensions = await reader.uint32();
  if (dimensions > 8) throw new RangeError(`tensor ${name} has ${dimensions} dimensions`);
  const shape: number[] = [];
  for (let index = 0; index < dimensions; index += 1) shape.push(await reader.uint64());
  const type = await reader.uint32();
  return { name, shape, type, offset: await reader.uint64() };
}

async function readString(reader: ByteReader, longest = longestText): Promise<string> {
  const length = await reader.uint64();
  checkTextLength(reader, length, longest);
  return (await reader.bytes(length)).toString("utf8");
}

function checkTextLength(reader: ByteReader, length: number, longest: number): void {
  if (length <= longest) return;
  if (length > reader.remaining) throw new EndOfFile(`a text of ${length} bytes`);
  throw new RangeError(`it holds a text of ${length} bytes`);
}

async function readValue(reader: ByteReader, type: number, isKept: boolean): Promise<GgufValue> {
  if (type !== arrayType) return await readScalar(reader, type);
  const elementType = await reader.uint32();
  const length = await reader.uint64();
  const isShort = length <= longestKeptArray;
  const values = await readArray(reader, elementType, length, isKept || isShort);
  return { length, values };
}

/** Reads from memory synchronously: tokenizers have arrays of hundreds of thousands. */
async function readArray(
  reader: ByteReader,
  type: number,
  length: number,
  isKept: boolean,
): Promise<GgufScalar[] | undefined> {
  if (length === 0) return [];
  if (type === stringType) return await readTexts(reader, length, isKept);
  const scalar = scalars[type];
  if (scalar === undefined) throw new RangeError(`an array of type ${type}`);
  if (!isKept) {
    reader.skip(length * scalar.bytes);
    return undefined;
  }
  const values: GgufScalar[] = [];
  for (let index = 0; index < length; index += 1) {
    const loading = reader.load(scalar.bytes);
    if (loading !== undefined) await loading;
    values.push(scalar.read(reader.loaded(scalar.bytes)));
  }
  return values;
}

async function readTexts(
  reader: ByteReader,
  count: number,
  isKept: boolean,
): Promise<string[] | undefined> {
  const values: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const loadingLength = reader.load(8);
    if (loadingLength !== undefined) await loadingLength;
    const length = reader.loadedUint64();
    if (isKept) {
      checkTextLength(reader, length, longestText);
      const loading = reader.load(length);
      if (loading !== undefined) await loading;
      values.push(reader.loaded(length).toString("utf8"));
    } else {
      reader.skip(length);
    }
  }
  return isKept ? values : undefined;
}

async function readScalar(reader: ByteReader, type: number): Promise<GgufScalar> {
  if (type === stringType) return await readString(reader);
  const scalar = scalars[type];
  if (scalar === undefined) throw new RangeError(`a value of type ${type}`);
  return scalar.read(await reader.bytes(scalar.bytes));
}

/** Returns a plain number if that is exact. */
function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function invalid(file: string, what: string): ProductError {
  return new ProductError(storeErrors.ggufInvalid, {
    message: `${file} is not a usable GGUF model: ${what}.`,
    hint: "Download it again, or use another file.",
  });
}
