// Paths as a person types them.
import { homedir } from "node:os";
import path from "node:path";

/** Whether a model's name looks like a path: then a missing file is reported as one. */
export function looksLikePath(text: string): boolean {
  return /^[.~/]|\\|^[A-Za-z]:[\\/]|\.gguf$/i.test(text);
}

/** `~` and relative paths become absolute. */
export function toAbsolutePath(text: string, folder: string = process.cwd()): string {
  const home = text === "~" || text.startsWith("~/") ? homedir() + text.slice(1) : text;
  return path.resolve(folder, home);
}
