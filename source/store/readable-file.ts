// Checks that a path leads to a readable file, and explains why not.
import { constants, type Stats } from "node:fs";
import { access, readlink, stat } from "node:fs/promises";
import { ProductError } from "../base/product-error.ts";
import { storeErrors } from "./errors.ts";

/**
 * @param file absolute
 * @param wanted the kind of file, such as "a .gguf file"
 * @throws ProductError `STORE_FILE_MISSING`, `STORE_FILE_IS_DIRECTORY`, `STORE_FILE_NOT_REGULAR`,
 *   `STORE_FILE_UNREADABLE`
 */
export async function requireReadableFile(file: string, wanted: string): Promise<Stats> {
  try {
    const facts = await stat(file);
    if (facts.isDirectory()) {
      throw new ProductError(storeErrors.fileIsDirectory, {
        message: `${file} is a directory, not ${wanted}.`,
        hint: `Name ${wanted.replace(/^an? /, "the ")} in it.`,
      });
    }
    // Opening a pipe would block until a writer opens it.
    if (!facts.isFile()) {
      throw new ProductError(storeErrors.fileNotRegular, {
        message: `${file} is not a regular file, so it cannot be ${wanted}.`,
        hint: `Name ${wanted}.`,
      });
    }
    await access(file, constants.R_OK);
    return facts;
  } catch (error) {
    if (error instanceof ProductError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EACCES" || code === "EPERM") {
      throw new ProductError(storeErrors.fileUnreadable, {
        message: `${file} cannot be read: permission denied.`,
        hint: "Change its permissions, or run as its owner.",
        cause: error,
      });
    }
    throw await missing(file, error);
  }
}

/** The link itself exists; its target does not. */
async function missing(file: string, cause: unknown): Promise<ProductError> {
  const target = await readlink(file).catch(() => undefined);
  return new ProductError(storeErrors.fileMissing, {
    message:
      target === undefined
        ? `${file} does not exist.`
        : `${file} is a link to ${target}, which does not exist.`,
    hint: target === undefined ? "Check the path." : "Fix the link, or name the file itself.",
    cause,
  });
}
