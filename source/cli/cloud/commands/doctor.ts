// deployctl doctor: checks if this machine can run apps.
import { examineCloud } from "../../../application/cloud-host/examine-cloud.ts";
import { exitCodes } from "../../../base/product-error.ts";
import type { Run } from "../../program/definition.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import type { doctorCommand } from "./server.definition.ts";

const marks = { ok: "ok", warning: "note", fault: "FAULT" } as const;

export const doctor: Run<typeof doctorCommand.doctor> = async (_words, flags) => {
  const findings = await examineCloud(openSession(flags).stateFolder);
  const faults = findings.filter(({ kind }) => kind === "fault");
  printAnswer(flags, {
    document: { findings },
    text: findings
      .map(({ subject, kind, sentence, hint }) => {
        const line = `${marks[kind].padEnd(6)}${subject.padEnd(8)}${sentence}\n`;
        return hint === undefined ? line : `${line}${" ".repeat(14)}${hint}\n`;
      })
      .join(""),
    names: faults.map(({ subject }) => subject),
  });
  return faults.length === 0 ? exitCodes.ok : exitCodes.unexpected;
};
