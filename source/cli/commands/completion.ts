// completion and version of both programs.
import { packageVersion } from "../../application/package-facts.ts";
import { exitCodes } from "../../base/product-error.ts";
import type { Run } from "../program/definition.ts";
import { printCompletion } from "../program/print-completion.ts";
import type { completionDefinition, versionDefinition } from "./completion.definition.ts";

export const completion: Run<typeof completionDefinition> = async ([shell], _flags, { name }) =>
  printCompletion(name, shell);

export const version: Run<typeof versionDefinition> = async () => {
  process.stdout.write(`${packageVersion()}\n`);
  return exitCodes.ok;
};
