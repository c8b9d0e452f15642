// Adds line and column to an error about a file or a name that the Modelfile contains.
import { toAbsolutePath } from "../../base/file-path.ts";
import type { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { TextPosition } from "./modelfile-text.ts";
import type { ParsedModelfile } from "./parse-modelfile.ts";
import { commentHint } from "./scan-commands.ts";

/**
 * Puts line and column before an error whose message mentions a file or name in the Modelfile.
 *
 * @param baseFolder base of the Modelfile's relative paths
 */
export function withPlace(
  error: ProductError,
  { definition, positions }: ParsedModelfile,
  baseFolder: string,
): ProductError {
  if (error.code === storeErrors.versionRequired.code && positions.requires !== undefined) {
    return atPlace(error, positions.requires);
  }
  const named = (["from", "adapters", "drafts"] as const).flatMap((list) =>
    definition[list].map((text, at) => ({ list, text, position: positions[list][at] })),
  );
  const mentioned = named.filter(({ text }) =>
    [text, toAbsolutePath(text, baseFolder)].some((name) => mentions(error.message, name)),
  );
  // Two commands may name the same file: prefers the one at fault.
  const atFault = mentioned.filter(({ list }) => list === error.param);
  const candidates = atFault.length > 0 ? atFault : mentioned;
  // One path may be the beginning of another: prefers the longer one.
  const [meant] = candidates.toSorted((a, b) => b.text.length - a.text.length);
  if (meant?.position === undefined) return error;
  const placed = atPlace(error, meant.position);
  const hint = unknownCodes.includes(error.code) ? commentHint(meant.text) : undefined;
  return hint === undefined ? placed : placed.reworded({ hint });
}

/** Codes of errors about missing files and invalid names. */
const unknownCodes: readonly string[] = [
  storeErrors.fileMissing.code,
  storeErrors.nameInvalid.code,
];

export function atPlace(error: ProductError, { line, column }: TextPosition): ProductError {
  const message = `Modelfile line ${line}, column ${column}: ${error.message}`;
  return error.reworded({ message });
}

/** Returns true if a name is a separate word of a sentence. */
function mentions(sentence: string, name: string): boolean {
  const at = sentence.indexOf(name);
  if (at < 0) return false;
  const around = [sentence.charAt(at - 1), sentence.charAt(at + name.length)];
  return around.every((character) => !/\w/.test(character));
}
