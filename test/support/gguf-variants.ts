// Broken and odd model files, made from the tiny model.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readGguf } from "../../source/store/gguf/read-gguf.ts";
import { repositoryFolder, tinyFile } from "./command-line.ts";

export interface BadFile {
  /** The fault, and the file's name. */
  name: string;
  make: (file: string) => void;
  status: number;
  exitCode: number;
  says: RegExp;
}

const tiny = readFileSync(tinyFile);
const header = await readGguf(tinyFile);
const lastTensor = Math.max(...header.tensors.map(({ offset }) => offset));

/** Copies a file and replaces a text by another of the same length, everywhere in the header. */
function replaced(from: string, to: string, only: "first" | "all" = "all"): Buffer {
  if (from.length !== to.length) throw new Error("lengths in the file would be wrong");
  const copy = Buffer.from(tiny);
  let at = copy.indexOf(from);
  if (at < 0) throw new Error(`${from} does not occur`);
  while (at >= 0 && at < header.dataOffset) {
    copy.write(to, at, "latin1");
    at = only === "first" ? -1 : copy.indexOf(from, at + from.length);
  }
  return copy;
}

function withUint32(value: number, at: number): Buffer {
  const copy = Buffer.from(tiny);
  copy.writeUInt32LE(value, at);
  return copy;
}

function withUint64(value: bigint, at: number): Buffer {
  const copy = Buffer.from(tiny);
  copy.writeBigUInt64LE(value, at);
  return copy;
}

const cuts: Array<[what: string, bytes: number, says?: RegExp]> = [
  ["behind the magic word", 4],
  ["inside the counts", 20],
  ["behind the counts", 24, /announces 29 metadata entries and 38 tensors/],
  ["inside the metadata", Math.floor(header.dataOffset / 2)],
  ["inside the list of tensors", header.dataOffset - 100],
  ["in front of the weights", header.dataOffset],
  ["in the middle of the weights", Math.floor((header.dataOffset + header.fileSize) / 2)],
  ["inside the last tensor", header.dataOffset + lastTensor + 1, /truncated|incomplete/],
  ["one byte before its end", header.fileSize - 1, /truncated|incomplete/],
];

const cutFiles = cuts.map(
  ([what, bytes, says = /is truncated/]): BadFile => ({
    name: `cut off ${what}`,
    make: (file) => writeFileSync(file, tiny.subarray(0, bytes)),
    status: 400,
    exitCode: 6,
    says,
  }),
);

const unusable = (name: string, content: () => Buffer | string, says: RegExp): BadFile => ({
  name,
  make: (file) => writeFileSync(file, content()),
  status: 400,
  exitCode: 6,
  says,
});

/** Every kind of file that is no usable model, and what a user must be told. */
export const badFiles: readonly BadFile[] = [
  { name: "missing", make: () => {}, status: 404, exitCode: 3, says: /does not exist/ },
  {
    name: "a directory",
    make: (file) => mkdirSync(file),
    status: 400,
    exitCode: 2,
    says: /is a directory/,
  },
  {
    name: "a pipe that nobody writes to",
    make: (file) => execFileSync("mkfifo", [file]),
    status: 400,
    exitCode: 6,
    says: /not a/,
  },
  unusable("empty", () => "", /is not a GGUF model: it is empty/),
  unusable("of two bytes", () => "GG", /is not a GGUF model/),
  unusable("of random bytes", () => randomBytes(5000), /is not a GGUF model/),
  unusable("a web page", () => "<!DOCTYPE html><html>", /is not a GGUF model/),
  ...cutFiles,
  unusable("of a version to come", () => withUint32(99, 4), /GGUF version is 99/),
  unusable("with absurd counts", () => withUint64(2n ** 60n, 8), /is not a usable GGUF model/),
  unusable("with many tensors", () => withUint64(2n ** 31n, 8), /is not a usable GGUF model/),
  unusable("of an unknown architecture", () => replaced("llama", "lluma"), /architecture 'lluma'/),
  unusable(
    "of an architecture without its facts",
    () => replaced("llama", "lluma", "first"),
    /has no lluma\.block_count/,
  ),
  unusable(
    "a projector for images",
    () => readFileSync(path.join(repositoryFolder, "media", "models", "mmproj-tiny-vision.gguf")),
    /is a projector, not a model/,
  ),
  unusable(
    "with a broken chat template",
    () => replaced("{%", "{?", "first"),
    /chat template cannot be read/,
  ),
];

/** Releases a process that waits at the other end of a pipe. */
export function releasePipe(file: string): void {
  closeSync(openSync(file, constants.O_RDWR | constants.O_NONBLOCK));
}
