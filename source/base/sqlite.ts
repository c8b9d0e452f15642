// SQLite as it comes with Node.
import { withoutWarnings } from "./without-warnings.ts";

/** Node 22 calls it an experiment. */
export function sqlite(): typeof import("node:sqlite") {
  return withoutWarnings(() => process.getBuiltinModule("node:sqlite"));
}
