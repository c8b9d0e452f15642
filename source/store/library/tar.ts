// Reads a tar archive from a stream of bytes, entry by entry; node-tar parses the headers.
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
/** Where a header says that it is one. */
const magicOffset = 257;
const magic = "ustar";
/** Long names and other facts about an entry; never as much as this. */
const longestExtensionBytes = 1024 ** 2;

/** @throws TarError */
export async function* readTar(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadTarEntry> {
  const reader = new PieceReader(bytes);
  let extension: Pax | undefined;
  let longPath: string | undefined;
  for (let block = await firstBlock(reader); ; block = await reader.take(blockBytes)) {
    const header = headerOf(block, extension);
    if (header?.nullBlock) return;
    if (!header?.cksumValid) throw new TarError("it is damaged");
    const sizeBytes = header.size ?? 0;
    const padding = (blockBytes - (sizeBytes % blockBytes)) % blockBytes;
    if (header.type === "ExtendedHeader" || header.type === "NextFileHasLongPath") {
      if (sizeBytes > longestExtensionBytes) throw new TarError("a name in it is too long");
      const text = (await reader.take(sizeBytes)).toString("utf8");
      await reader.skip(padding);
      if (header.type === "ExtendedHeader") extension = Pax.parse(text, extension);
      else longPath = text.replace(/\0.*$/s, "");
      continue;
    }
    // Not the header's first: it puts the old format's prefix before an extension's whole path.
    const path = longPath ?? extension?.path ?? header.path ?? "";
    const isFile = header.type === "File" || header.type === "OldFile";
    const content = reader.pieces(sizeBytes);
    yield { path, sizeBytes, isFile, content };
    for await (const _ of content); // whatever was not read
    await reader.skip(padding);
    extension = undefined;
    longPath = undefined;
  }
}

/** Undefined for bytes that node-tar reads as impossible numbers. */
function headerOf(block: Buffer, extension?: Pax): Header | undefined {
  try {
    return new Header(block, 0, extension);
  } catch {
    return undefined; // the caller reports it
  }
}

/** Tells a file that is not an archive from a damaged one. */
async function firstBlock(reader: PieceReader): Promise<Buffer> {
  const block = await reader.takeUpTo(blockBytes);
  if (block.length === 0) throw new TarError("it is empty");
  if (block.toString("latin1", 0, 4) === "GGUF") {
    throw new TarError("it is a GGUF file, not an archive; use modelctl create");
  }
  const isMarked = block.toString("latin1", magicOffset, magicOffset + magic.length) === magic;
  if (block.length < blockBytes)
    throw new TarError(isMarked ? tooEarly : "it is not a tar archive");
  // Archives of the oldest kind bear no mark, but a checksum.
  const header = headerOf(block);
  if (isMarked || header?.nullBlock || header?.cksumValid) return block;
  throw new TarError("it is not a tar archive");
}

/** Hands out a stream of chunks in pieces of chosen lengths. */
class PieceReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Less where the stream ends before. */
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
    for await (const _ of this.pieces(count));
  }

  /** An iterator that is left early continues where it was. */
  pieces(count: number): AsyncIterableIterator<Buffer> {
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
    const iterator: AsyncIterableIterator<Buffer> = {
      next,
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }
}
