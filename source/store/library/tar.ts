// Reads and writes tar archives as streams of bytes, entry by entry; node-tar parses and encodes
// the headers.
import { Header, Pax } from "tar";

export interface ReadTarEntry {
  path: string;
  sizeBytes: number;
  isFile: boolean;
  /** Must be read before the next entry is requested; the rest is skipped. */
  content: AsyncIterable<Buffer>;
}

/** The archive breaks the format's rules or ends too early. */
export class TarError extends Error {
  override readonly name = "TarError";
}

const tooEarly = "it is truncated";
const blockBytes = 512;
/** Offset of `magic` in a header. */
const magicOffset = 257;
const magic = "ustar";
/** Limit for long names and other extended headers. */
const longestExtensionBytes = 1024 ** 2;

/** A file's bytes may also be skipped, without reading them. */
export type ArchiveBytes = AsyncIterable<Buffer> & { skip?: (count: number) => void };

/** @throws TarError */
export async function* readTar(bytes: ArchiveBytes): AsyncGenerator<ReadTarEntry> {
  const reader = new PieceReader(bytes);
  let extension: Pax | undefined;
  let longPath: string | undefined;
  for (let block = await firstBlock(reader); ; block = await reader.take(blockBytes)) {
    const header = headerOf(block, extension);
    if (header?.nullBlock) return;
    if (!header?.cksumValid) throw new TarError("it is damaged");
    const sizeBytes = header.size ?? 0;
    if (sizeBytes < 0) throw new TarError("it is damaged");
    const padding = (blockBytes - (sizeBytes % blockBytes)) % blockBytes;
    if (header.type === "ExtendedHeader" || header.type === "NextFileHasLongPath") {
      if (sizeBytes > longestExtensionBytes) throw new TarError("a name in it is too long");
      const text = (await reader.take(sizeBytes)).toString("utf8");
      await reader.skip(padding);
      if (header.type === "ExtendedHeader") extension = Pax.parse(text, extension);
      else longPath = text.replace(/\0.*$/s, "");
      continue;
    }
    // The header's path comes last: node-tar puts the old format's prefix before an extended path.
    const path = longPath ?? extension?.path ?? header.path ?? "";
    const isFile = header.type === "File" || header.type === "OldFile";
    const content = reader.pieces(sizeBytes);
    yield { path, sizeBytes, isFile, content };
    await content.skipRest();
    await reader.skip(padding);
    extension = undefined;
    longPath = undefined;
  }
}

/** Undefined if node-tar refuses the numbers in it. */
function headerOf(block: Buffer, extension?: Pax): Header | undefined {
  try {
    return new Header(block, 0, extension);
  } catch {
    return undefined; // the caller reports it
  }
}

/** Reads the first block. Distinguishes a file that is not an archive from a damaged one. */
async function firstBlock(reader: PieceReader): Promise<Buffer> {
  const block = await reader.takeUpTo(blockBytes);
  if (block.length === 0) throw new TarError("it is empty");
  if (block.toString("latin1", 0, 4) === "GGUF") {
    throw new TarError("it is a GGUF file, not an archive; use modelctl create");
  }
  const isMarked = block.toString("latin1", magicOffset, magicOffset + magic.length) === magic;
  if (block.length < blockBytes)
    throw new TarError(isMarked ? tooEarly : "it is not a tar archive");
  // The oldest archives have no magic, only a checksum.
  const header = headerOf(block);
  if (isMarked || header?.nullBlock || header?.cksumValid) return block;
  throw new TarError("it is not a tar archive");
}

/** Pieces of one length; `skipRest` passes those that were not read. */
type Pieces = AsyncIterableIterator<Buffer> & { skipRest: () => Promise<void> };

/** Cuts a stream of chunks into pieces of given lengths. */
class PieceReader {
  readonly #bytes: ArchiveBytes;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: ArchiveBytes) {
    this.#bytes = bytes;
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Returns less if the stream ends early. */
  async takeUpTo(count: number): Promise<Buffer> {
    while (this.#rest.length < count) {
      const chunk = await this.#chunks.next();
      if (chunk.done) break;
      this.#rest = Buffer.concat([this.#rest, chunk.value]);
    }
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async skip(count: number): Promise<void> {
    const skipped = this.#rest.subarray(0, count).length;
    this.#rest = this.#rest.subarray(skipped);
    const left = count - skipped;
    if (this.#bytes.skip !== undefined) this.#bytes.skip(left);
    else for await (const _ of this.pieces(left));
  }

  /** After an early exit, the same iterator yields the rest. */
  pieces(count: number): Pieces {
    let left = count;
    const next = async (): Promise<IteratorResult<Buffer>> => {
      if (left === 0) return { done: true, value: undefined };
      while (this.#rest.length === 0) {
        const chunk = await this.#chunks.next();
        if (chunk.done) throw new TarError(tooEarly);
        this.#rest = chunk.value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      return { done: false, value: piece };
    };
    const skipRest = async (): Promise<void> => {
      await this.skip(left);
      left = 0;
    };
    const pieces: Pieces = { next, skipRest, [Symbol.asyncIterator]: () => pieces };
    return pieces;
  }
}

export interface TarEntry {
  /** With slashes, relative. */
  path: string;
  sizeBytes: number;
  modifiedAt: Date;
  content: AsyncIterable<Uint8Array>;
}

/** @throws Error when an entry's content is not as long as it said */
export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield encodeHeader(entry);
    let written = 0;
    for await (const chunk of entry.content) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== entry.sizeBytes) {
      throw new Error(`${entry.path} has ${written} bytes instead of ${entry.sizeBytes}`);
    }
    yield Buffer.alloc((blockBytes - (written % blockBytes)) % blockBytes);
  }
  yield Buffer.alloc(2 * blockBytes);
}

function encodeHeader({ path, sizeBytes, modifiedAt }: TarEntry): Buffer {
  const facts = { path, size: sizeBytes, mode: 0o644, mtime: modifiedAt };
  const header = new Header({ ...facts, type: "File" });
  header.encode();
  if (header.block === undefined) throw new Error("the tar header was not written");
  // A name that does not fit the header goes into an extended header before it.
  const extension = header.needPax ? new Pax(facts).encode() : Buffer.alloc(0);
  return Buffer.concat([extension, header.block]);
}
