// Caches the contents of small files until they change: screens read a store of a thousand models
// again and again.
import { readFileSync, type Stats, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Turns } from "../../base/turns.ts";

/**
 * A file changed less than this before it is read may change again unnoticed, since file times have
 * steps of up to two seconds. It is not cached.
 */
const settledMs = 3000;
/**
 * Longer files are not cached. Shorter ones are read synchronously: an asynchronous read makes four
 * trips through the thread pool, which cost several times the read itself.
 */
const smallBytes = 64 * 1024;
/** Total size of the cached files on disk. */
const maxKeptBytes = 16 * 1024 ** 2;

export class KnownFiles<T> {
  readonly #known = new Map<string, { facts: Stats; value: T }>();
  readonly #turns = new Turns();
  #keptBytes = 0;

  /**
   * @param parse parses the file; all callers share the value, which must not change
   * @throws the system's error when the file cannot be read, Error when it is a folder or a device,
   *   and what `parse` throws
   */
  async read(file: string, parse: (bytes: Buffer, facts: Stats) => T): Promise<T> {
    await this.#turns.next();
    const facts = statSync(file);
    const known = this.#known.get(file);
    if (known !== undefined && isSame(known.facts, facts)) return known.value;
    // Opening a pipe would wait for a writer.
    if (!facts.isFile()) throw new Error("it is not a regular file");
    const isSmall = facts.size <= smallBytes;
    const bytes = isSmall ? readFileSync(file) : await readFile(file);
    const value = parse(bytes, facts);
    const isSettled = Date.now() - Math.max(facts.mtimeMs, facts.ctimeMs) > settledMs;
    if (isSmall && isSettled && facts.size === bytes.length) this.#keep(file, facts, value);
    return value;
  }

  #keep(file: string, facts: Stats, value: T): void {
    if (this.#keptBytes + facts.size > maxKeptBytes) {
      this.#known.clear();
      this.#keptBytes = 0;
    }
    this.#keptBytes += facts.size - (this.#known.get(file)?.facts.size ?? 0);
    this.#known.set(file, { facts, value });
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  );
}
