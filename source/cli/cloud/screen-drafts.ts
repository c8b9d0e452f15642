// Drafts of the deploy screen on disk: private, and one file per terminal, so that no terminal overwrites
// another's draft.

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
import { describeError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import type { Draft, DraftAccess, OtherDraft } from "../../ui/app/cloud-access.ts";

interface DraftOwner {
  readonly processId: number;
  readonly isRunning: (processId: number) => boolean;
}

/** Includes drafts that were moved aside, and unfinished files of killed programs. */
const pattern = /^deploy-draft-(\d+)-[0-9a-f-]{36}\.json(?:\.(?:unreadable|[0-9a-f-]{36}))?$/;
/** Drafts unused for longer are deleted. */
const keptMs = 30 * 86_400_000;

export class ScreenDrafts implements DraftAccess {
  readonly #folder: string;
  readonly #owner: DraftOwner;
  #file: string;
  /** Writes run in order, so that the last one wins. */
  #last: Promise<void> = Promise.resolve();

  /** @param folder created at the first write */
  constructor(folder: string, owner: DraftOwner = { processId: process.pid, isRunning }) {
    this.#folder = folder;
    this.#owner = owner;
    this.#file = this.#newFile();
  }

  async others(): Promise<{ drafts: OtherDraft[]; problems: string[] }> {
    const drafts: OtherDraft[] = [];
    const problems: string[] = [];
    const oldestMs = Date.now() - keptMs;
    for (const name of await this.#names()) {
      const file = path.join(this.#folder, name);
      const processId = Number(pattern.exec(name)?.[1]);
      if (Number.isNaN(processId) || file === this.#file) continue;
      const isInUse = processId !== this.#owner.processId && this.#owner.isRunning(processId);
      try {
        const { mtimeMs: savedAtMs } = await stat(file);
        if (savedAtMs < oldestMs && !isInUse) {
          await rm(file, { force: true }).catch((error: unknown) =>
            problems.push(`Cannot delete an old draft: ${describeError(error)}`),
          );
          continue;
        }
        if (!name.endsWith(".json")) continue;
        const draft = readDraft(await readFile(file, "utf8"));
        if (draft === undefined) {
          await rename(file, `${file}.unreadable`);
          problems.push(`Cannot read a draft; moved to ${file}.unreadable.`);
        } else drafts.push({ ...draft, file, savedAtMs, isInUse });
      } catch (error) {
        // Another terminal has just deleted or resumed it.
        if (systemCode(error) !== "ENOENT") throw error;
      }
    }
    return { drafts: drafts.toSorted((a, b) => b.savedAtMs - a.savedAtMs), problems };
  }

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
      if (systemCode(error) === "ENOENT") return false;
      throw error;
    }
  }

  async write({ step, given }: Draft): Promise<void> {
    const text = `${JSON.stringify({ version: 1, step, given }, null, 2)}\n`;
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

  async remove(): Promise<void> {
    await this.#next(async () => await rm(this.#file, { force: true }));
  }

  /** The name holds the owner's process id, so no lock is needed. */
  #newFile(): string {
    const { processId } = this.#owner;
    return path.join(this.#folder, `deploy-draft-${processId}-${randomUUID()}.json`);
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.#folder);
    } catch (error) {
      if (systemCode(error) === "ENOENT") return [];
      throw error;
    }
  }

  async #next(change: () => Promise<void>): Promise<void> {
    const changed = this.#last.then(change);
    // The caller sees the failure; the next write still runs.
    this.#last = changed.catch(() => {});
    await changed;
  }
}

function readDraft(text: string): Draft | undefined {
  let document: { version?: unknown; step?: unknown; given?: unknown };
  try {
    document = Object(JSON.parse(text));
  } catch {
    return undefined;
  }
  if (document.version !== 1 || typeof document.step !== "string") return undefined;
  const entries = Object.entries(Object(document.given)).flatMap(([id, value]) =>
    typeof value === "string" ? [[id, value] as const] : [],
  );
  return { step: document.step, given: Object.fromEntries(entries) };
}

/** A reused process id only prevents a draft from being resumed at the start: it stays in the list. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
