// The name of a tool that a request brings.
import { quoteShort } from "../../base/display-text.ts";
import { invalidField } from "../errors.ts";

/**
 * A name goes into prompts and grammars as it is, and comes back in calls.
 *
 * @throws ProductError `SERVER_FIELD_INVALID` where it holds control characters
 */
export function checkToolName(name: string, param: string): string {
  if (!/\p{Cc}/u.test(name)) return name;
  throw invalidField(
    param,
    `'${param}' is ${quoteShort(name)}, but must not hold control characters.`,
  );
}
