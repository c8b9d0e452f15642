// Remembers what small files say for as long as they stay as they are: a store of a thousand models is
// read again and again by whoever shows it.
import { readFile as readFileWithCallback, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";

/** Several times as fast for small files as the one of fs/promises, which opens a FileHandle. */
const readFile = promisify(readFileWithCallback);

/**
 * A file that was changed this shortly before it was read may change again without a trace: times have
 * steps, of up to two seconds on some file systems. It is read again next time.
 */
const settledMs = 3000;
/** A longer one costs more to keep than to read now and then. */
const largestKeptBytes = 64 * 1024;
/** Of all together, as they lie on the disk. */
const mostKeptBytes = 16 * 1024 ** 2;

export class KnownFiles<T> {
  readonly #known = new Map<string, { facts: Stats; value: T }>();
  #keptBytes = 0;

  /**
   * @param parse what the file says; the caller of every time gets the same value, which must not change
   * @throws the system's error when the file cannot be read, and what `parse` throws
   */
  async read(file: string, parse: (bytes: Buffer, facts: Stats) => T): Promise<T> {
    const known = this.#known.get(file);
    if (known === undefined) return await this.#readAnew(file, parse);
    const facts = await this.#factsOf(file);
    return isSame(known.facts, facts) ? known.value : await this.#readAnew(file, parse);
  }

  /** Both at once: whoever lists a store a single time waits for nothing more than before. */
  async #readAnew(file: string, parse: (bytes: Buffer, facts: Stats) => T): Promise<T> {
    const [facts, bytes] = await Promise.all([this.#factsOf(file), readFile(file)]);
    const value = parse(bytes, facts);
    this.#forget(file);
    const isSettled = Date.now() - Math.max(facts.mtimeMs, facts.ctimeMs) > settledMs;
    if (isSettled && facts.size === bytes.length && facts.size <= largestKeptBytes) {
      this.#keep(file, facts, value);
    }
    return value;
  }

  async #factsOf(file: string): Promise<Stats> {
    try {
      return await stat(file);
    } catch (error) {
      this.#forget(file);
      throw error;
    }
  }

  #keep(file: string, facts: Stats, value: T): void {
    if (this.#keptBytes + facts.size > mostKeptBytes) {
      this.#known.clear();
      this.#keptBytes = 0;
    }
    this.#known.set(file, { facts, value });
    this.#keptBytes += facts.size;
  }

  #forget(file: string): void {
    const known = this.#known.get(file);
    if (known === undefined) return;
    this.#known.delete(file);
    this.#keptBytes -= known.facts.size;
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
