// Parses the name of an app: `chat` of the default organisation, or `acme/chat`.
import type { AppReference } from "../../cloud/admin/admin-client.ts";
import { usageError } from "../errors.ts";
import { type Session, settingOf } from "./session.ts";

/** @throws ProductError `COMMAND_USAGE` */
export function appReference(session: Session, word: string): AppReference {
  const organisation = settingOf(session, "org");
  const reference =
    word.includes("/") || organisation === undefined ? word : `${organisation}/${word}`;
  if (/^[^/\s]+(\/[^/\s]+)?$/.test(reference)) return reference;
  throw usageError(`'${word}' is not an app name.`, "Use APP, or ORGANISATION/APP.");
}
