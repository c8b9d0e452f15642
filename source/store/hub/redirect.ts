// Follows redirects.
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { HttpReply } from "./http-reply.ts";
import { headerText } from "./reply-error.ts";

/** More redirects than this are a loop. */
export const mostRedirects = 5;

/**
 * The address that the reply leads to; undefined when it is the answer itself.
 *
 * @throws ProductError `STORE_HUB_REPLY_INVALID` when it leads away from the web, or from a secure
 *   connection to an open one
 */
export function redirectOf(reply: HttpReply): string | undefined {
  const { status, url } = reply;
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const next = URL.parse(headerText(reply.headers, "location"), url);
  const isSafe = next?.protocol === "https:" || next?.protocol === new URL(url).protocol;
  if (next !== null && isSafe) return next.href;
  throw new ProductError(storeErrors.hubReplyInvalid, {
    message: `${new URL(url).host} redirects to an address that is not https.`,
    hint: "Check HF_ENDPOINT.",
  });
}
