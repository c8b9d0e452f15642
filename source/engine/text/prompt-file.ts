// File of a sequence's state on disk: llama.cpp's part, followed by the tokens, a description and
// checksums. llama.cpp reads only its own part, so the file is loaded in place.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";

export interface PromptDescription {
  /** Name of the model. */
  model: string;
  /** True if any part of the state can be dropped after loading. */
  isCuttable: boolean;
  /** Cost of computing one of its tokens, measured when it was written. */
  readMsPerToken: number;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export interface PromptFile extends PromptDescription {
  path: string;
  /** Size of the whole file. */
  bytes: number;
  tokens: readonly number[];
  state: { bytes: number; checksum: number };
  /** Milliseconds since 1970. */
  lastUsedAt: number;
}

/** Error of an unusable file; its message completes "the file …". */
export class BrokenPromptFile extends Error {}

/** Last bytes of a file; another layout needs another mark. */
const mark = Buffer.from("mctlpf01");
/** The mark, then 32-bit numbers: tokens, description bytes, checksums of the state and of the rest. */
const endBytes = mark.length + 4 * 4;
/** Piece size; between two pieces a step of the engine can use the thread. */
const pieceBytes = 2 ** 20;
/** Far more than any window: a damaged number must not take all memory. */
const largestPart = 2 ** 28;

/**
 * Appends the description to a file with a state, or to one that it first copies the state into.
 *
 * @param handle of the file, for reading and writing
 * @param source file with llama.cpp's part; undefined: the file has it already
 * @throws the signal's reason; the system's errors
 */
export async function completePromptFile(
  handle: FileHandle,
  source: string | undefined,
  { tokens, ...description }: PromptDescription & { tokens: readonly number[] },
  signal: AbortSignal,
): Promise<void> {
  const state = await (source === undefined
    ? sumUp(handle, (await handle.stat()).size, signal)
    : copyFrom(source, handle, signal));
  const words = Buffer.from(Uint32Array.from(tokens).buffer);
  const text = Buffer.from(JSON.stringify(description));
  const end = Buffer.alloc(endBytes);
  mark.copy(end);
  end.writeUInt32LE(tokens.length, mark.length);
  end.writeUInt32LE(text.length, mark.length + 4);
  end.writeUInt32LE(state.checksum, mark.length + 8);
  const tail = Buffer.concat([words, text, end]);
  tail.writeUInt32LE(crc32(tail.subarray(0, -4)), tail.length - 4);
  await writeAll(handle, tail, state.bytes);
}

/**
 * Reads everything but the state.
 *
 * @throws BrokenPromptFile; the system's errors
 */
export async function readPromptFile(path: string): Promise<PromptFile> {
  const handle = await openRegular(path);
  try {
    const { size, mtimeMs } = await handle.stat();
    const end = await readAt(handle, size - endBytes, endBytes);
    if (!end.subarray(0, mark.length).equals(mark)) throw new BrokenPromptFile("is cut off");
    const tokenBytes = 4 * end.readUInt32LE(mark.length);
    const textBytes = end.readUInt32LE(mark.length + 4);
    const stateBytes = size - endBytes - textBytes - tokenBytes;
    if (stateBytes <= 0 || tokenBytes + textBytes > largestPart) throw damaged();
    const tail = await readAt(handle, stateBytes, size - stateBytes);
    if (crc32(tail.subarray(0, -4)) !== tail.readUInt32LE(tail.length - 4)) throw damaged();
    // A copy, since the numbers must be aligned to four bytes.
    const words = Uint8Array.from(tail.subarray(0, tokenBytes));
    const text = tail.subarray(tokenBytes, tokenBytes + textBytes).toString();
    return {
      ...(JSON.parse(text) as PromptDescription),
      path,
      bytes: size,
      tokens: [...new Uint32Array(words.buffer)],
      state: { bytes: stateBytes, checksum: end.readUInt32LE(mark.length + 8) },
      lastUsedAt: mtimeMs,
    };
  } finally {
    await handle.close();
  }
}

/**
 * Verifies the state's checksum, and marks the file as used.
 *
 * @throws BrokenPromptFile; the system's errors
 */
export async function checkPromptState({ path, bytes, state }: PromptFile): Promise<void> {
  const handle = await openRegular(path);
  try {
    if ((await handle.stat()).size !== bytes) throw damaged();
    const { checksum } = await sumUp(handle, state.bytes, new AbortController().signal);
    if (checksum !== state.checksum) throw damaged();
    await handle.utimes(new Date(), new Date());
  } finally {
    await handle.close();
  }
}

function damaged(): BrokenPromptFile {
  return new BrokenPromptFile("is damaged");
}

/** Opens a regular file without following links to files of others. */
async function openRegular(path: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const isLink = error instanceof Error && "code" in error && error.code === "ELOOP";
    throw isLink ? new BrokenPromptFile("is a link") : error;
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new BrokenPromptFile("is not a file");
}

async function readAt(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  if (from < 0) throw new BrokenPromptFile("is cut off");
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
  if (bytesRead < length) throw new BrokenPromptFile("is cut off");
  return buffer;
}

async function* piecesOf(
  handle: FileHandle,
  length: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(Math.min(length, pieceBytes));
  for (let at = 0; at < length; ) {
    signal.throwIfAborted();
    const wanted = Math.min(buffer.length, length - at);
    const { bytesRead } = await handle.read(buffer, 0, wanted, at);
    if (bytesRead === 0) throw new BrokenPromptFile("is cut off");
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

async function sumUp(
  handle: FileHandle,
  length: number,
  signal: AbortSignal,
): Promise<PromptFile["state"]> {
  let checksum = 0;
  for await (const piece of piecesOf(handle, length, signal)) checksum = crc32(piece, checksum);
  return { bytes: length, checksum };
}

async function copyFrom(
  source: string,
  target: FileHandle,
  signal: AbortSignal,
): Promise<PromptFile["state"]> {
  const handle = await open(source, "r");
  try {
    let [bytes, checksum] = [0, 0];
    for await (const piece of piecesOf(handle, (await handle.stat()).size, signal)) {
      checksum = crc32(piece, checksum);
      await writeAll(target, piece, bytes);
      bytes += piece.length;
    }
    return { bytes, checksum };
  } finally {
    await handle.close();
  }
}

/** Writes everything; a nearly full disk accepts only a part at a time. */
async function writeAll(handle: FileHandle, data: Buffer, position: number): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const { bytesWritten } = await handle.write(data, done, data.length - done, position + done);
    done += bytesWritten;
  }
}
