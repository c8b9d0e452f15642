// Finds model files outside the store, in the folders where people and other programs keep them. For the
// user's own screen and commands only: a server never looks for its clients.
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { readGgufFacts } from "../../store/gguf/gguf-facts.ts";
import { companionWord, isGguf, shardOf } from "../../store/hub/selection/quantization.ts";

/** A model file that no model of the store refers to. */
export interface FoundFile {
  /** Absolute. */
  path: string;
  sizeBytes: number;
  architecture: string;
}

/** A folder to look into. */
interface Place {
  folder: string;
  /** Folders below it that are looked into, too. */
  depth: number;
}

/** More entries are not looked at, such as those of a folder with a million files. */
const entriesMaximum = 5000;
const filesMaximum = 200;

/** Returns Downloads, ~/models, and the caches of the hub's tools and of llama.cpp. */
export function usualPlaces(environment: NodeJS.ProcessEnv = process.env): Place[] {
  const home = environment.HOME || homedir();
  const caches = environment.XDG_CACHE_HOME || path.join(home, ".cache");
  const hubHome = environment.HF_HOME || path.join(caches, "huggingface");
  const ofLlama =
    process.platform === "darwin" ? path.join(home, "Library", "Caches", "llama.cpp") : undefined;
  return [
    { folder: environment.XDG_DOWNLOAD_DIR || path.join(home, "Downloads"), depth: 1 },
    { folder: path.join(home, "models"), depth: 3 },
    // models--OWNER--NAME/snapshots/COMMIT/folders of the repository
    { folder: environment.HF_HUB_CACHE || path.join(hubHome, "hub"), depth: 5 },
    { folder: environment.LLAMA_CACHE || ofLlama || path.join(caches, "llama.cpp"), depth: 1 },
  ];
}

/**
 * Reads nothing but names, sizes and headers. Leaves out projectors, later parts of split models, files
 * that are no models, and content that the store has already.
 *
 * @param known absolute paths of the store's files, and of those that its models refer to
 * @returns in the order of the places
 */
export async function findModelFiles(
  known: readonly string[],
  places: readonly Place[] = usualPlaces(),
): Promise<FoundFile[]> {
  const seen = new Set(await Promise.all(known.map(identityOf)));
  const found: FoundFile[] = [];
  const budget = { entries: entriesMaximum };
  for (const { folder, depth } of places) {
    for (const file of await ggufsIn(folder, depth, budget)) {
      if (found.length === filesMaximum) return found;
      const identity = await identityOf(file);
      // One file may have several names, such as snapshots of the hub's cache.
      if (identity === undefined || seen.has(identity)) continue;
      seen.add(identity);
      const model = await modelIn(file);
      if (model !== undefined) found.push(model);
    }
  }
  return found;
}

async function modelIn(file: string): Promise<FoundFile | undefined> {
  try {
    const { architecture, fileSize, hasWeights } = await readGgufFacts(file);
    return hasWeights ? { path: file, sizeBytes: fileSize, architecture } : undefined;
  } catch {
    return undefined; // no model, or unfinished
  }
}

/** Follows links to files, as the hub's cache has them, but not to folders. */
async function ggufsIn(
  folder: string,
  depth: number,
  budget: { entries: number },
): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries) {
    budget.entries -= 1;
    if (budget.entries < 0) return files;
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (depth > 0) files.push(...(await ggufsIn(file, depth - 1, budget)));
    } else if (isModelName(entry.name)) files.push(file);
  }
  return files;
}

function isModelName(name: string): boolean {
  const isWhole = (shardOf(name)?.index ?? 1) === 1;
  // A name with a line break would end a command of a Modelfile.
  return isGguf(name) && isWhole && companionWord(name) === undefined && !/\p{Cc}/u.test(name);
}

/** Equal for all names of a file; undefined for anything else. */
async function identityOf(file: string): Promise<string | undefined> {
  const facts = await stat(file, { bigint: true }).catch(() => undefined);
  return facts?.isFile() ? `${facts.dev}:${facts.ino}` : undefined;
}
