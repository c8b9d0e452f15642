// File names that a typed path may mean: literally, without shell escapes, as a URL.
import { fileURLToPath } from "node:url";
import { toAbsolutePath } from "../../base/file-path.ts";

/** Characters that terminals escape in dropped paths. */
const escaped = /\\([ ()[\]{}$&;'"\\*?~!#<>|`])/g;
const drivePath = /^([A-Za-z]):[\\/]/;

/**
 * Returns absolute paths, most literal first.
 *
 * @param typed without quotes around it
 * @param folder base of relative paths
 */
export function pathSpellings(typed: string, folder: string): string[] {
  const spellings = [typed, typed.replace(escaped, "$1")];
  if (/^file:\/\//i.test(typed)) spellings.push(...fromUrl(typed));
  if (process.platform !== "win32" && typed.includes("\\")) spellings.push(...fromWindows(typed));
  return [...new Set(spellings.map((spelling) => toAbsolutePath(spelling, folder)))];
}

/** True for a text that can only be a path, not a bare name within a sentence. */
export function isPathLike(typed: string): boolean {
  return /[/\\]|^~/.test(typed);
}

function fromUrl(url: string): string[] {
  try {
    return [fileURLToPath(url)];
  } catch {
    return []; // not a valid file URL
  }
}

/** Converts a Windows path to its WSL mount, or a relative one to slashes. */
function fromWindows(typed: string): string[] {
  const slashed = typed.replaceAll("\\", "/");
  const drive = drivePath.exec(typed)?.[1];
  return drive === undefined ? [slashed] : [`/mnt/${drive.toLowerCase()}${slashed.slice(2)}`];
}
