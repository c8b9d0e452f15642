// Paths as a person types them.
import { homedir } from "node:os";
import path from "node:path";
import { afterHubPrefix } from "./hub-prefix.ts";

/** True when a model's name looks like a path: then a missing file is reported as one. */
export function looksLikePath(text: string): boolean {
  return !isAddress(text) && /^[.~/]|\\|^[A-Za-z]:[\\/]|\.gguf$/i.test(text);
}

/** `https://...`, `file://...`; a drive's one letter is no scheme. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
}

/**
 * A model as it is named to a server, which may run in another folder: a path as a whole, a name as it is.
 *
 * @param hubPrefixes prefixes of hub names, which may end like a file
 */
export function wholeReference(text: string, hubPrefixes: readonly string[]): string {
  const isPath = afterHubPrefix(text, hubPrefixes) === undefined && looksLikePath(text);
  return isPath ? toAbsolutePath(text) : text;
}

/** `~` and relative paths become absolute. */
export function toAbsolutePath(text: string, folder: string = process.cwd()): string {
  const home = text === "~" || text.startsWith("~/") ? homedir() + text.slice(1) : text;
  return path.resolve(folder, home);
}
