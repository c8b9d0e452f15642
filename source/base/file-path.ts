// Model references and paths as a person types them.
import { homedir } from "node:os";
import path from "node:path";

/** True when a model's name looks like a path: then a missing file is reported as one. */
export function looksLikePath(text: string): boolean {
  return !isAddress(text) && /^[.~/]|\\|^[A-Za-z]:[\\/]|\.gguf$/i.test(text);
}

/** True for `https://…` and `file://…`; a drive letter is not a scheme. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
}

/**
 * Returns the reference to send to a server, which may run in another folder: a path becomes absolute,
 * a name stays.
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

/**
 * Returns the rest of a hub model's name, after its prefix; undefined without one.
 *
 * @param prefixes hosts, and schemes with their colon
 */
export function afterHubPrefix(text: string, prefixes: readonly string[]): string | undefined {
  const bare = withoutScheme(text);
  for (const prefix of prefixes) {
    const isScheme = prefix.endsWith(":");
    const start = isScheme ? prefix : `${prefix}/`;
    // A pasted address has a host; a scheme of ours is not written behind https://.
    const candidate = isScheme ? text : bare;
    // The hub's own tools write hf://.
    const rest = candidate.slice(start.length).replace(isScheme ? /^\/\// : "", "");
    if (!candidate.toLowerCase().startsWith(start.toLowerCase())) continue;
    if (!isScheme || rest.includes("/")) return rest;
  }
  return undefined;
}

export function withoutScheme(text: string): string {
  return text.replace(/^https?:\/\//i, "");
}
