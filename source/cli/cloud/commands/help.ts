// deployctl without a command: what it can do.
import { packageVersion } from "../../../application/package-facts.ts";
import { exitCodes } from "../../../base/product-error.ts";
import { programHelp } from "../../help-text.ts";
import { deployctlProgram } from "../command-table.ts";

export async function help(): Promise<number> {
  const { name, title } = deployctlProgram;
  process.stdout.write(programHelp(deployctlProgram, `${name} ${packageVersion()}: ${title}`));
  return exitCodes.ok;
}
