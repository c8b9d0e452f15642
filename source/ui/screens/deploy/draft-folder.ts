// Unfinished answers on disk: for this user alone, without any secret, and a file for each terminal, so
// that none writes over what another one keeps.

import { randomUUID } from "node:crypto";
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { describeError } from "../../../base/product-error.ts";
import { type GivenValues, newVariable, type Rules, variablePrefix } from "./answers.ts";
import type { StepId } from "./deploy-state.ts";
import { resumedStep } from "./steps.ts";

export interface Draft {
  readonly step: StepId;
  readonly given: GivenValues;
}

/** A draft that is not the one of this terminal. */
export interface OtherDraft extends Draft {
  readonly file: string;
  /** When it was saved, or gone on with; milliseconds since 1970. */
  readonly savedAtMs: number;
  /** Another terminal is at it. */
  readonly isInUse: boolean;
}

export interface OtherDrafts {
  /** The last saved first. */
  readonly drafts: readonly OtherDraft[];
  /** Sentences about those that could not be read, which lie aside now, or not be removed. */
  readonly problems: readonly string[];
}

export interface DraftOwner {
  readonly processId: number;
  readonly isRunning: (processId: number) => boolean;
}

const pattern = /^deploy-draft-(\d+)-[0-9a-f-]{36}\.json$/;
/** With those that lie aside, and what a program was killed at. */
const anyPattern = /^deploy-draft-(\d+)-[0-9a-f-]{36}\.json(?:\.(?:unreadable|[0-9a-f-]{36}))?$/;
/** A draft that nobody has been at for so long is removed. */
const keptMs = 30 * 86_400_000;

export class DraftFolder {
  readonly #folder: string;
  readonly #looksSecret: Rules["looksSecret"];
  readonly #owner: DraftOwner;
  #file: string;
  /** One change after the other: the last one is what stays. */
  #last: Promise<void> = Promise.resolve();

  /** @param folder may not be there yet */
  constructor(
    folder: string,
    looksSecret: Rules["looksSecret"],
    owner: DraftOwner = { processId: process.pid, isRunning },
  ) {
    this.#folder = folder;
    this.#looksSecret = looksSecret;
    this.#owner = owner;
    this.#file = this.#newFile();
  }

  /** Every draft but the one that is written here; those that are too old are removed. */
  async others(): Promise<OtherDrafts> {
    const drafts: OtherDraft[] = [];
    const problems: string[] = [];
    const oldestMs = Date.now() - keptMs;
    for (const name of await this.#names()) {
      const file = path.join(this.#folder, name);
      if (file === this.#file) continue;
      const isInUse = this.#isInUse(name);
      try {
        const { mtimeMs } = await stat(file);
        if (mtimeMs < oldestMs && !isInUse) problems.push(...(await removeOld(file)));
        else if (pattern.test(name)) {
          const draft = readDraft(await readFile(file, "utf8"));
          if (draft === undefined) problems.push(await setAside(file));
          else drafts.push({ ...draft, file, savedAtMs: mtimeMs, isInUse });
        }
      } catch (error) {
        // Its terminal has just finished with it, or another one has taken it over.
        if (codeOf(error) !== "ENOENT") throw error;
      }
    }
    return { drafts: drafts.toSorted((a, b) => b.savedAtMs - a.savedAtMs), problems };
  }

  /**
   * From now on a draft is written here; the one that was written before stays as it is. Of one that
   * another terminal is at, a copy is taken.
   *
   * @returns false: it is gone
   */
  async take({ file, isInUse }: OtherDraft): Promise<boolean> {
    const own = this.#newFile();
    try {
      const now = new Date();
      await this.#next(async () => {
        await (isInUse ? copyFile(file, own) : rename(file, own));
        await utimes(own, now, now);
        this.#file = own;
      });
      return true;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false;
      throw error;
    }
  }

  /** Whole or not at all. */
  async write({ step, given }: Draft): Promise<void> {
    const kept = Object.entries(given).filter(([id]) => this.#isKept(id));
    const text = `${JSON.stringify({ version: 1, step, given: Object.fromEntries(kept) }, null, 2)}\n`;
    await this.#next(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const unfinished = `${this.#file}.${randomUUID()}`;
      try {
        await writeFile(unfinished, text, { mode: 0o600, flag: "wx" });
        await rename(unfinished, this.#file);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    });
  }

  /** Removes the draft that is written here. */
  async remove(): Promise<void> {
    await this.#next(async () => await rm(this.#file, { force: true }));
  }

  /** The name tells whose it is: nobody has to ask for a lock. */
  #newFile(): string {
    const { processId } = this.#owner;
    return path.join(this.#folder, `deploy-draft-${processId}-${randomUUID()}.json`);
  }

  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => anyPattern.test(name));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  #isInUse(name: string): boolean {
    const processId = Number(anyPattern.exec(name)?.[1]);
    return processId !== this.#owner.processId && this.#owner.isRunning(processId);
  }

  #isKept(id: string): boolean {
    if (id === newVariable) return false;
    return !id.startsWith(variablePrefix) || !this.#looksSecret(id.slice(variablePrefix.length));
  }

  async #next(change: () => Promise<void>): Promise<void> {
    const changed = this.#last.then(change);
    // Whoever asked for a change is told of its failure; the next one is not stopped by it.
    this.#last = changed.catch(() => {});
    await changed;
  }
}

/** @returns a sentence, if it could not be removed */
async function removeOld(file: string): Promise<string[]> {
  return await rm(file, { force: true }).then(
    () => [],
    (error: unknown) => [`An old draft could not be removed: ${describeError(error)}`],
  );
}

async function setAside(file: string): Promise<string> {
  const aside = `${file}.unreadable`;
  await rename(file, aside);
  return `A draft could not be read; it is in ${aside} now.`;
}

function readDraft(text: string): Draft | undefined {
  let document: { version?: unknown; step?: unknown; given?: unknown };
  try {
    document = Object(JSON.parse(text));
  } catch {
    return undefined; // cut off, or written by somebody else
  }
  if (document.version !== 1 || typeof document.step !== "string") return undefined;
  const entries = Object.entries(Object(document.given)).flatMap(([id, value]) =>
    typeof value === "string" ? [[id, value] as const] : [],
  );
  return { step: resumedStep(document.step), given: Object.fromEntries(entries) };
}

/** An id that is used again hides a draft from the beginning alone: it stays in the list. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
