// deployctl without a command: what it can do.
import { packageVersion } from "../../../application/package-facts.ts";
import { exitCodes } from "../../../base/product-error.ts";
import { programHelp } from "../../help-text.ts";
import type { FlagTable, Program } from "../../program.ts";

export async function help<Table extends FlagTable>(program: Program<Table>): Promise<number> {
  const { name, title } = program;
  process.stdout.write(programHelp(program, `${name} ${packageVersion()}: ${title}`));
  return exitCodes.ok;
}
