// Root ignores permissions, so tests of permissions run as another user.
import { lchownSync, readdirSync } from "node:fs";
import path from "node:path";

const nobody = 65_534;

/**
 * Does some work as a user to whom permissions apply.
 *
 * @param folder given to that user with all that is in it, when the tests run as root
 */
export async function asOrdinaryUser<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (process.getuid?.() !== 0) return await work();
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of ["", ...names]) lchownSync(path.join(folder, name), nobody, nobody);
  process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
