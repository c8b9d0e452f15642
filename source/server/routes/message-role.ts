// Roles that a message may have in both APIs.
import type { ChatRole } from "../../prompt/chat-message.ts";
import { invalidField } from "../errors.ts";

const roles: readonly ChatRole[] = ["system", "developer", "user", "assistant", "tool"];

/**
 * @param where the message in the request: `messages.0`
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function parseRole(text: string, where: string): ChatRole {
  const role = roles.find((candidate) => candidate === text.toLowerCase());
  if (role !== undefined) return role;
  throw invalidField(
    `${where}.role`,
    `'${where}.role' is ${JSON.stringify(text)}, but it must be one of ${roles.join(", ")}.`,
  );
}
