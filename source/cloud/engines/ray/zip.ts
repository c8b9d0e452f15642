// ZIP archive of files in memory: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
import { crc32, deflateRawSync } from "node:zlib";

export interface ZippedFile {
  /** Path in the archive, with slashes. */
  name: string;
  data: Buffer;
  isExecutable?: boolean;
}

const localSignature = 0x04034b50;
const centralSignature = 0x02014b50;
const endSignature = 0x06054b50;
const localBytes = 30;
const centralBytes = 46;
const endBytes = 22;
/** Version 2.0: deflated files. */
const version = 20;
const madeOnUnix = 3 << 8;
const deflated = 8;
const namesAreUtf8 = 1 << 11;
/** 1 January 1980, so that equal files give equal archives. */
const date = 0x21;
const regularFile = 0o100644;
const executableFile = 0o100755;
const most16Bits = 0xffff;

/** @throws RangeError for more than 65,535 files or 4 GiB */
export function createZip(files: readonly ZippedFile[]): Buffer {
  if (files.length > most16Bits) throw new RangeError(`${files.length} files are too many`);
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const packed = deflateRawSync(file.data);
    const local = Buffer.alloc(localBytes);
    local.writeUInt32LE(localSignature, 0);
    local.writeUInt16LE(version, 4);
    writeCommon(local, 6, file.data, packed, name);
    const central = Buffer.alloc(centralBytes);
    central.writeUInt32LE(centralSignature, 0);
    central.writeUInt16LE(version | madeOnUnix, 4);
    central.writeUInt16LE(version, 6);
    writeCommon(central, 8, file.data, packed, name);
    const mode = file.isExecutable ? executableFile : regularFile;
    central.writeUInt32LE(mode * 2 ** 16, 38);
    central.writeUInt32LE(offset, 42);
    bodies.push(local, name, packed);
    directory.push(central, name);
    offset += local.length + name.length + packed.length;
  }
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(endBytes);
  end.writeUInt32LE(endSignature, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

/** Writes the fields that both headers of a file have in the same order. */
function writeCommon(to: Buffer, at: number, data: Buffer, packed: Buffer, name: Buffer): void {
  to.writeUInt16LE(namesAreUtf8, at);
  to.writeUInt16LE(deflated, at + 2);
  to.writeUInt16LE(date, at + 6);
  to.writeUInt32LE(crc32(data), at + 8);
  to.writeUInt32LE(packed.length, at + 12);
  to.writeUInt32LE(data.length, at + 16);
  to.writeUInt16LE(name.length, at + 20);
}
