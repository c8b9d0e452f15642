// modelctl update: tells the newest version, and how this installation gets it.
import { findUpdate, type Update } from "../../application/update/find-update.ts";
import { exitCodes } from "../../base/product-error.ts";
import { printDocument } from "../output.ts";
import type { Run } from "../program/definition.ts";
import type { toolCommands } from "./tools.definition.ts";

export const update: Run<typeof toolCommands.update> = async (_words, flags) => {
  const found = await findUpdate();
  if (flags.json) printDocument(found);
  else process.stdout.write(textOf(found));
  return found.newest === undefined ? exitCodes.unreachable : exitCodes.ok;
};

function textOf({ version, newest, isNewer, commands, problem }: Update): string {
  if (problem !== undefined) return `modelctl ${version}. ${problem}\n`;
  if (!isNewer) return `modelctl ${version} is the newest version.\n`;
  const how = commands.map((command) => `  ${command}\n`).join("");
  return `modelctl ${newest} is available; this is ${version}. Update with:\n${how}`;
}
