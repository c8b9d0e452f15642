// deployctl state check, backup, restore: the database of this machine's server.

import { formatRelativeTime } from "../../../base/formats.ts";
import { exitCodes } from "../../../base/product-error.ts";
import { usageError } from "../../errors.ts";
import type { Run } from "../../program/definition.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import type { stateCommands } from "./settings.definition.ts";

export const checkState: Run<typeof stateCommands.checkState> = async (_words, flags) => {
  const session = openSession(flags);
  const { examineState } = await import("../../../application/cloud-host/cloud-state.ts");
  const check = await examineState(session.stateFolder, clientOf(session));
  const isWell = check.problems.length === 0;
  printAnswer(flags, {
    document: check,
    text: [
      isWell ? `${check.file} is whole.` : `${check.file} is damaged:`,
      ...check.problems.map((problem) => `  ${problem}`),
      check.backups.length === 0 ? "No backups yet." : "Backups, newest first:",
      ...check.backups.map(({ file, at }) => `  ${file}  ${formatRelativeTime(at)}`),
      "",
    ].join("\n"),
    names: check.backups.map(({ file }) => file),
  });
  return isWell ? exitCodes.ok : exitCodes.unexpected;
};

export const backUpState: Run<typeof stateCommands.backUpState> = async (_words, flags) => {
  const { file } = await clientOf(openSession(flags)).backUpState();
  printAnswer(flags, { document: { file }, text: `saved ${file}\n`, names: [file] });
};

/** Works only while no control plane runs. */
export const restoreState: Run<typeof stateCommands.restoreState> = async ([backup], flags) => {
  if ((backup === undefined) !== (flags.empty === true)) {
    throw usageError(
      "state restore needs FILE or --empty.",
      "Run deployctl state check to list backups.",
    );
  }
  const { stateFolder } = openSession(flags);
  const { restoreState: restore } = await import("../../../application/cloud-host/cloud-state.ts");
  const { file, setAside } = restore(stateFolder, backup);
  const old = setAside === undefined ? "" : `; the old database is ${setAside}`;
  printAnswer(flags, {
    document: { file, setAside: setAside ?? null },
    text: `restored ${file}${old}\n`,
    names: [file],
  });
};
