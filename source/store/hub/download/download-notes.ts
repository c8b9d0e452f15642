// Notes about an unfinished file: its identity, and the ranges that have arrived.
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { isRecord, parseJson } from "../../../base/json.ts";
import { isMissing } from "../../library/disk-errors.ts";
import { type ByteRange, ByteRanges } from "./byte-ranges.ts";

/** Identity of the content: earlier bytes are reused only if it is unchanged. */
export interface FileIdentity {
  sizeBytes: number;
  /** 64 hex digits, when the hub lists them. */
  sha256?: string;
  /** The server's ETag, for files without a hash. */
  etag?: string;
}

export type EarlierDownload =
  | { kind: "none" }
  /** The notes cannot be used; the reason completes a sentence. */
  | { kind: "useless"; reason: string }
  | { kind: "usable"; ranges: ByteRange[] };

const notesVersion = 1;
const reservedBytes = 4096;

export function partialPath(target: string): string {
  return `${target}-partial`;
}

function notesPath(target: string): string {
  return `${partialPath(target)}.json`;
}

/** The next notes, before they replace the last ones. */
function reservePath(target: string): string {
  return `${notesPath(target)}.new`;
}

/** Reserves space for the next notes, so that progress can be noted on a full disk. */
export async function reserveNotes(target: string): Promise<void> {
  await writeFile(reservePath(target), " ".repeat(reservedBytes));
}

/** Replaces the notes atomically. Requires `reserveNotes`. */
export async function writeNotes(
  target: string,
  identity: FileIdentity,
  ranges: readonly ByteRange[],
): Promise<void> {
  const notes = JSON.stringify({ version: notesVersion, ...identity, ranges });
  const reserve = await open(reservePath(target), "r+");
  try {
    // Spaces after JSON are valid, so padding overwrites the old content.
    await reserve.write(notes.padEnd(reservedBytes), 0);
  } finally {
    await reserve.close();
  }
  await rename(reservePath(target), notesPath(target));
  await reserveNotes(target);
}

export async function removeNotes(target: string): Promise<void> {
  await rm(notesPath(target), { force: true });
  await rm(reservePath(target), { force: true });
}

export async function readNotes(target: string, identity: FileIdentity): Promise<EarlierDownload> {
  let text: string;
  try {
    text = await readFile(notesPath(target), "utf8");
  } catch (error) {
    if (isMissing(error)) return { kind: "none" };
    throw error;
  }
  const notes = parseNotes(text);
  if (notes === undefined) {
    return { kind: "useless", reason: "the notes of the earlier download are damaged" };
  }
  if (notes.sizeBytes !== identity.sizeBytes) {
    return { kind: "useless", reason: "the file's size changed on the hub" };
  }
  const isSame =
    identity.sha256 !== undefined && notes.sha256 !== undefined
      ? identity.sha256 === notes.sha256
      : identity.etag !== undefined && identity.etag === notes.etag;
  return isSame
    ? { kind: "usable", ranges: notes.ranges }
    : { kind: "useless", reason: "the file changed on the hub" };
}

/** Returns the bytes left by an earlier download. */
export async function resumableBytes(target: string, identity: FileIdentity): Promise<number> {
  const earlier = await readNotes(target, identity);
  return earlier.kind === "usable" ? new ByteRanges(earlier.ranges).total : 0;
}

function parseNotes(text: string): (FileIdentity & { ranges: ByteRange[] }) | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { version, sizeBytes, sha256, etag, ranges } = value;
  if (version !== notesVersion || typeof sizeBytes !== "number" || !Array.isArray(ranges)) {
    return undefined;
  }
  if (!ranges.every((range) => isRange(range) && range.end <= sizeBytes)) return undefined;
  return {
    sizeBytes,
    ranges,
    ...(typeof sha256 === "string" && { sha256 }),
    ...(typeof etag === "string" && { etag }),
  };
}

function isRange(value: unknown): value is ByteRange {
  if (!isRecord(value)) return false;
  const { start, end } = value;
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && Number(start) >= 0;
}
