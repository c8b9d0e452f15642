// Whether a path that a person named leads to a file that can be read, and what is wrong where not.
import { constants, type Stats } from "node:fs";
import { access, readlink, stat } from "node:fs/promises";
import { ProductError } from "../base/product-error.ts";
import { storeErrors } from "./errors.ts";

/**
 * @param file absolute
 * @param wanted what it should be, such as "a .gguf file"
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
    // Opening a pipe would wait for somebody to write to it.
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
        message: `${file} may not be read by this user.`,
        hint: "Change its permissions, or run as the user who owns it.",
        cause: error,
      });
    }
    throw await missing(file, error);
  }
}

/** A link is there to be seen: what it leads to is not. */
async function missing(file: string, cause: unknown): Promise<ProductError> {
  const target = await readlink(file).catch(() => undefined);
  return new ProductError(storeErrors.fileMissing, {
    message:
      target === undefined
        ? `${file} was not found: there is no such file.`
        : `${file} is a link to ${target}, and there is no such file.`,
    hint:
      target === undefined ? "Check the path." : "Make the link again, or name the file itself.",
    cause,
  });
}
