// Model references and paths as a person types them.
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

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

/**
 * Returns the path of a model file if the text is nothing else. It may be typed, or pasted by a terminal
 * for a dropped file: in quotes, with escaped spaces, or as a `file://` address. A name without a folder is
 * not a path.
 */
export function modelFilePath(text: string): string | undefined {
  const bare = /^(["'])(.*)\1$/.exec(text)?.[2] ?? text.replaceAll(/\\([ '"()&\\])/g, "$1");
  if (!/\.gguf$/i.test(bare) || /\n|\.gguf\s/i.test(bare)) return undefined;
  if (bare.startsWith("file:///")) return pathOfAddress(bare);
  return /^(?:~?\/|\.{1,2}\/|[a-z]:\\)/i.test(bare) ? toAbsolutePath(bare) : undefined;
}

/** Returns undefined for an address that cannot be a path, such as one with an encoded slash. */
function pathOfAddress(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
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
