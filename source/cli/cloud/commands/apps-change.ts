// deployctl apps scale, pause, resume, delete: what changes an app without a new revision.
import { exitCodes } from "../../../base/product-error.ts";
import { usageError } from "../../errors.ts";
import { appReference } from "../app-reference.ts";
import type { Flags } from "../flags.ts";
import { printAnswer } from "../print.ts";
import { readScale } from "../read-scale.ts";
import { scaleRows } from "../scale-rows.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import { oneWord } from "../words.ts";

export async function scaleApp(words: string[], flags: Flags): Promise<number> {
  const session = openSession(flags);
  const app = appReference(session, oneWord("apps scale", "APP", words));
  const change = readScale(flags);
  const isChange = Object.keys(change).length > 0;
  if (isChange === (flags.reset === true)) {
    throw usageError(
      isChange ? "--reset stands alone." : "apps scale needs something to change.",
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
}

export async function pauseApp(words: string[], flags: Flags): Promise<number> {
  return await changeState("pause", words, flags);
}

export async function resumeApp(words: string[], flags: Flags): Promise<number> {
  return await changeState("resume", words, flags);
}

export async function deleteApp(words: string[], flags: Flags): Promise<number> {
  const session = openSession(flags);
  const app = appReference(session, oneWord("apps delete", "APP", words));
  await clientOf(session).deleteApp(app);
  printAnswer(flags, { document: { app, deleted: true }, text: `deleted ${app}\n`, names: [app] });
  return exitCodes.ok;
}

async function changeState(
  what: "pause" | "resume",
  words: string[],
  flags: Flags,
): Promise<number> {
  const session = openSession(flags);
  const app = appReference(session, oneWord(`apps ${what}`, "APP", words));
  const client = clientOf(session);
  const document = what === "pause" ? await client.pause(app) : await client.resume(app);
  printAnswer(flags, { document, text: `${app} is ${document.state}\n`, names: [app] });
  return exitCodes.ok;
}
