// Requests JSON or short texts from the hub: follows redirects, and retries transient failures.
import { parseJson } from "../../base/json.ts";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { HttpReply } from "./http-reply.ts";
import { type HubConnection, readReplyText } from "./hub-connection.ts";
import { headerText } from "./reply-error.ts";
import { Retries } from "./retry.ts";

export interface ShortQuestion {
  signal: AbortSignal;
  /** Called with the reason for a retry. */
  onRetry: (detail: string) => void;
  /** Most attempts; the connection's policy may allow fewer. */
  tries: number;
  /** Explains a reply other than 200. */
  refusal: (reply: HttpReply) => ProductError;
}

/** @throws ProductError `STORE_HUB_...`, and the error of `refusal` */
export async function readHubJson(
  connection: HubConnection,
  url: string,
  question: ShortQuestion,
): Promise<{ value: unknown; headers: HttpReply["headers"] }> {
  return await readShort(connection, url, "application/json", question, (text) =>
    parseReply(text, url),
  );
}

/** @throws ProductError `STORE_HUB_...`, and the error of `refusal` */
export async function readHubText(
  connection: HubConnection,
  url: string,
  question: ShortQuestion,
): Promise<string> {
  return (await readShort(connection, url, "text/plain, */*", question, (text) => text)).value;
}

async function readShort<T>(
  connection: HubConnection,
  url: string,
  accept: string,
  { signal, onRetry, tries, refusal }: ShortQuestion,
  parse: (text: string) => T,
): Promise<{ value: T; headers: HttpReply["headers"] }> {
  const { retryPolicy } = connection.options;
  const retries = new Retries({ ...retryPolicy, tries: Math.min(tries, retryPolicy.tries) });
  while (true) {
    try {
      const reply = await sendFollowing(connection, url, signal, accept);
      if (reply.status !== 200) {
        reply.abandon();
        throw refusal(reply);
      }
      const text = await readReplyText(reply);
      return { value: parse(text), headers: reply.headers };
    } catch (error) {
      if (error instanceof ProductError && error.code === storeErrors.hubOffline.code) throw error;
      await retries.waitAfter(error, signal, onRetry);
    }
  }
}

/** Sends a request and follows redirects, since renamed repositories redirect to their new name. */
export async function sendFollowing(
  connection: HubConnection,
  url: string,
  signal: AbortSignal,
  accept: string,
): Promise<HttpReply> {
  let asked = url;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const reply = await connection.send({ url: asked, headers: { accept }, signal });
    const next = redirectOf(reply);
    if (next === undefined) return reply;
    reply.abandon();
    asked = next;
  }
  throw invalidReply(new URL(url).host, "too many redirects");
}

function parseReply(text: string, url: string): unknown {
  const reply = parseJson(text);
  if (reply === undefined) throw invalidReply(new URL(url).host, "its reply is not JSON");
  return reply;
}

export function invalidReply(host: string, what: string): ProductError {
  return new ProductError(storeErrors.hubReplyInvalid, {
    message: `${host} does not behave like a hub: ${what}.`,
    hint: "Check HF_ENDPOINT and the proxy variables.",
  });
}

/** More redirects than this count as a loop. */
export const maxRedirects = 5;

/**
 * Returns the address that a reply redirects to; undefined if it does not redirect.
 *
 * @throws ProductError `STORE_HUB_REPLY_INVALID` for a redirect to another scheme, or from https to
 *   http
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
