// deployctl apps scale, pause, resume, delete: changes to an app without a new revision.
import { exitCodes } from "../../../base/product-error.ts";
import { usageError } from "../../errors.ts";
import type { Run } from "../../program/definition.ts";
import { appReference } from "../app-reference.ts";
import type { Flags } from "../flags.ts";
import { printAnswer } from "../print.ts";
import { readScale } from "../read-scale.ts";
import { scaleRows } from "../scale-rows.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import type {
  deleteAppDefinition,
  pauseAppDefinition,
  resumeAppDefinition,
  scaleAppDefinition,
} from "./apps.definition.ts";

export const scaleApp: Run<typeof scaleAppDefinition> = async ([name], flags) => {
  const session = openSession(flags);
  const app = appReference(session, name);
  const change = readScale(flags);
  const isChange = Object.keys(change).length > 0;
  if (isChange === (flags.reset === true)) {
    throw usageError(
      isChange ? "--reset cannot be combined with other flags." : "apps scale needs a flag.",
      "deployctl apps scale APP --max-concurrency 4, or --reset",
    );
  }
  const client = clientOf(session);
  const document = isChange ? await client.scale(app, change) : await client.resetScale(app);
  const rows = scaleRows(document.scale, document.overrides);
  printAnswer(flags, {
    document,
    text: rows.map(([label, text]) => `${label.padEnd(25)}${text}\n`).join(""),
    names: [app],
  });
  return exitCodes.ok;
};

export const pauseApp: Run<typeof pauseAppDefinition> = async ([name], flags) =>
  await changeState("pause", name, flags);

export const resumeApp: Run<typeof resumeAppDefinition> = async ([name], flags) =>
  await changeState("resume", name, flags);

export const deleteApp: Run<typeof deleteAppDefinition> = async ([name], flags) => {
  const session = openSession(flags);
  const app = appReference(session, name);
  await clientOf(session).deleteApp(app);
  printAnswer(flags, { document: { app, deleted: true }, text: `deleted ${app}\n`, names: [app] });
  return exitCodes.ok;
};

async function changeState(what: "pause" | "resume", name: string, flags: Flags): Promise<number> {
  const session = openSession(flags);
  const app = appReference(session, name);
  const client = clientOf(session);
  const document = what === "pause" ? await client.pause(app) : await client.resume(app);
  printAnswer(flags, { document, text: `${app} is ${document.state}\n`, names: [app] });
  return exitCodes.ok;
}
