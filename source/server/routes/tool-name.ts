// Tool names in requests.
import { quoteShort } from "../../base/display-text.ts";
import { invalidField } from "../errors.ts";

/**
 * Names go into prompts and grammars unchanged, and come back in calls.
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
