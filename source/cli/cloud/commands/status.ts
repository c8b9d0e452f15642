// deployctl status: the server's state and contents.
import { exitCodes } from "../../../base/product-error.ts";
import type { Run } from "../../program/definition.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import { statusText } from "../status-text.ts";
import { clientOf } from "../target.ts";
import type { statusDefinition } from "./server.definition.ts";

export const status: Run<typeof statusDefinition> = async (_words, flags) => {
  const document = await clientOf(openSession(flags)).status();
  printAnswer(flags, { document, text: statusText(document), names: [document.baseUrl] });
  return exitCodes.ok;
};
