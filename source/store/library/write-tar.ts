// Writes a tar archive as a stream of bytes; the headers come from node-tar.
import { Header, Pax } from "tar";

export interface TarEntry {
  /** With slashes, relative. */
  path: string;
  sizeBytes: number;
  modifiedAt: Date;
  content: AsyncIterable<Uint8Array>;
}

const blockBytes = 512;

/** @throws Error when an entry's content is not as long as it said */
export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield headerOf(entry);
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

function headerOf({ path, sizeBytes, modifiedAt }: TarEntry): Buffer {
  const facts = { path, size: sizeBytes, mode: 0o644, mtime: modifiedAt };
  const header = new Header({ ...facts, type: "File" });
  header.encode();
  if (header.block === undefined) throw new Error("the tar header was not written");
  // A long name does not fit the old format's field and goes in front.
  const extension = header.needPax ? new Pax(facts).encode() : Buffer.alloc(0);
  return Buffer.concat([extension, header.block]);
}
