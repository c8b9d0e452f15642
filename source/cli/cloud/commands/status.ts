// deployctl status: whether the server answers, and what it has.
import { exitCodes } from "../../../base/product-error.ts";
import type { Flags } from "../flags.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import { statusText } from "../status-text.ts";
import { clientOf } from "../target.ts";
import { noWords } from "../words.ts";

export async function status(words: string[], flags: Flags): Promise<number> {
  noWords("status", words);
  const document = await clientOf(openSession(flags)).status();
  printAnswer(flags, { document, text: statusText(document), names: [document.baseUrl] });
  return exitCodes.ok;
}
