// The unfinished answers on disk: for this user alone, and without any secret.

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Given, type Rules, variablePrefix } from "./answers.ts";
import { newVariable } from "./pages-of-settings.ts";
import { resumedStep, type StepId } from "./steps.ts";

export interface Draft {
  readonly step: StepId;
  readonly given: Given;
}

export class DraftFile {
  readonly #file: string;
  readonly #looksSecret: Rules["looksSecret"];
  /** One change after the other: the last one is what stays. */
  #last: Promise<void> = Promise.resolve();

  /** @param folder may not be there yet */
  constructor(folder: string, looksSecret: Rules["looksSecret"]) {
    this.#file = path.join(folder, "deploy-draft.json");
    this.#looksSecret = looksSecret;
  }

  /** @returns undefined when there is none. @throws Error one that cannot be read is set aside */
  async read(): Promise<Draft | undefined> {
    let text: string;
    try {
      text = await readFile(this.#file, "utf8");
    } catch (error) {
      if (Object(error).code === "ENOENT") return undefined;
      throw error;
    }
    const draft = readDraft(text);
    if (draft !== undefined) return draft;
    const aside = `${this.#file}.unreadable`;
    await rename(this.#file, aside);
    throw new Error(`The draft could not be read; it is in ${aside} now.`);
  }

  /** Whole or not at all. */
  async write({ step, given }: Draft): Promise<void> {
    const kept = Object.entries(given).filter(([id]) => this.#isKept(id));
    const text = `${JSON.stringify({ version: 1, step, given: Object.fromEntries(kept) }, null, 2)}\n`;
    await this.#next(async () => {
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
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
