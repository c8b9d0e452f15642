// The file names that a typed path may mean: as it stands, without a shell's escapes, as a URL.
import { fileURLToPath } from "node:url";
import { toAbsolutePath } from "../../base/file-path.ts";

/** Characters that terminals escape when a file is dropped on them. */
const escaped = /\\([ ()[\]{}$&;'"\\*?~!#<>|`])/g;
const drivePath = /^([A-Za-z]):[\\/]/;

/**
 * Absolute paths, the most literal first.
 *
 * @param typed without quotes around it
 * @param folder what relative paths start from
 */
export function pathSpellings(typed: string, folder: string): string[] {
  const spellings = [typed, typed.replace(escaped, "$1")];
  if (/^file:\/\//i.test(typed)) spellings.push(...fromUrl(typed));
  if (process.platform !== "win32" && typed.includes("\\")) spellings.push(...fromWindows(typed));
  return [...new Set(spellings.map((spelling) => toAbsolutePath(spelling, folder)))];
}

/** True when the text can only be a path, not a bare name within a sentence. */
export function isPathLike(typed: string): boolean {
  return /[/\\]|^~/.test(typed);
}

function fromUrl(url: string): string[] {
  try {
    return [fileURLToPath(url)];
  } catch {
    return []; // no URL of a file after all
  }
}

/** Converts a Windows path to its mount in WSL, or a relative one to slashes. */
function fromWindows(typed: string): string[] {
  const slashed = typed.replaceAll("\\", "/");
  const drive = drivePath.exec(typed)?.[1];
  return drive === undefined ? [slashed] : [`/mnt/${drive.toLowerCase()}${slashed.slice(2)}`];
}
