// Finds the models of other programs, which are used in place.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** Returns Ollama's model folders: of the user, and of its service on Linux. */
export function ollamaFolders(environment: NodeJS.ProcessEnv): string[] {
  const named = environment.OLLAMA_MODELS;
  const usual = [
    path.join(homeOf(environment), ".ollama", "models"),
    "/usr/share/ollama/.ollama/models",
  ];
  return named ? [path.resolve(named)] : usual;
}

/**
 * Returns LM Studio's model folder: the one in its settings, else the one in its home, which is searched
 * as by findLMStudioHome of https://github.com/lmstudio-ai/lms. Undefined if none exists.
 */
export function lmStudioFolder(environment: NodeJS.ProcessEnv): string | undefined {
  const home = homeOf(environment);
  const pointed = readText(path.join(home, ".lmstudio-home-pointer"))?.trim();
  const older = path.join(home, ".cache", "lm-studio");
  const theirs = pointed || (existsSync(older) ? older : path.join(home, ".lmstudio"));
  const chosen = downloadsFolderIn(readText(path.join(theirs, "settings.json")));
  const folder = chosen ?? path.join(theirs, "models");
  return path.isAbsolute(folder) && existsSync(folder) ? folder : undefined;
}

function downloadsFolderIn(settings: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(settings ?? "{}");
    if (typeof value !== "object" || value === null || !("downloadsFolder" in value)) return;
    const { downloadsFolder } = value;
    return typeof downloadsFolder === "string" && downloadsFolder !== ""
      ? downloadsFolder
      : undefined;
  } catch {
    return undefined; // being written, or another format: the default folder counts
  }
}

/** Returns undefined for an unreadable file, as it belongs to another program. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function homeOf(environment: NodeJS.ProcessEnv): string {
  return environment.HOME || homedir();
}
