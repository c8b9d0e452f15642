// Key files: 32 random bytes each, readable by their user alone, and created once.
import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../../base/write-refusal.ts";

const keyBytes = 32;

/**
 * @returns undefined when the file does not exist
 * @throws Error whose message is a reason, such as "it has 3 bytes instead of 32"
 */
export function readKeyFile(file: string): Buffer | undefined {
  let key: Buffer;
  try {
    key = readFileSync(file);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  if (key.length !== keyBytes) throw new Error(`it has ${key.length} bytes instead of ${keyBytes}`);
  chmodSync(file, 0o600);
  return key;
}

/** Creates the file atomically, as half a key would be lost data. */
export function createKeyFile(file: string): Buffer {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const key = randomBytes(keyBytes);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, key, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } finally {
    rmSync(draft);
  }
  return key;
}
