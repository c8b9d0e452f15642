// deployctl state check, backup, restore: the database of this machine's server.
import { exitCodes } from "../../../base/product-error.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import type { Flags } from "../flags.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import { noWords, oneWord } from "../words.ts";

export async function checkState(words: string[], flags: Flags): Promise<number> {
  noWords("state check", words);
  const session = openSession(flags);
  const { examineState } = await import("../../../application/cloud-state.ts");
  const check = await examineState(session.stateFolder, clientOf(session));
  const now = Date.now();
  const isWell = check.complaints.length === 0;
  printAnswer(flags, {
    document: check,
    text: [
      isWell ? `${check.file} is whole.` : `${check.file} is damaged:`,
      ...check.complaints.map((complaint) => `  ${complaint}`),
      check.backups.length === 0 ? "There is no backup yet." : "Backups, newest first:",
      ...check.backups.map(({ file, at }) => `  ${file}  ${formatRelativeTime(at, now)}`),
      "",
    ].join("\n"),
    names: check.backups.map(({ file }) => file),
  });
  return isWell ? exitCodes.ok : exitCodes.unexpected;
}

export async function backUpState(words: string[], flags: Flags): Promise<number> {
  noWords("state backup", words);
  const { file } = await clientOf(openSession(flags)).backUpState();
  printAnswer(flags, { document: { file }, text: `saved ${file}\n`, names: [file] });
  return exitCodes.ok;
}

/** Only while no control plane runs. */
export async function restoreState(words: string[], flags: Flags): Promise<number> {
  const backup = flags.empty ? undefined : oneWord("state restore", "FILE", words);
  if (flags.empty) noWords("state restore --empty", words);
  const { stateFolder } = openSession(flags);
  const { restoreState: restore } = await import("../../../application/cloud-state.ts");
  const { file, setAside } = restore(stateFolder, backup);
  const old = setAside === undefined ? "" : `; what was there is ${setAside}`;
  printAnswer(flags, {
    document: { file, setAside: setAside ?? null },
    text: `restored ${file}${old}\n`,
    names: [file],
  });
  return exitCodes.ok;
}
