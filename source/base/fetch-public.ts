// Requests to the public internet, limited in size and time. Never contacts this machine, its network or
// other private ones, even after a redirect. Proxies are not used, since they resolve names themselves.
import { lookup as lookupName } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, fetch, type Response } from "undici";
import { quoteShort } from "./display-text.ts";
import { isForeignAddress } from "./networks.ts";

const maxRedirects = 3;
const limitMs = 15_000;

export interface FetchPublicOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Tells if an address may be contacted. Defaults to foreign public addresses. */
  readonly isAllowed?: ((address: string) => boolean) | undefined;
}

export interface PublicFile {
  /** After redirects. */
  readonly url: string;
  /** `content-type` without parameters; empty if there is none. */
  readonly type: string;
  /** Of the `content-type`, such as `utf-8`. */
  readonly charset: string | undefined;
  readonly bytes: Buffer;
}

/** A file that cannot be fetched; its message ends a sentence: `it redirects more than 3 times`. */
export class FetchRefusal extends Error {
  /** The address that failed: the one asked for, or a redirect's. */
  readonly url: string;
  readonly isTooLarge: boolean;

  constructor(url: string, why: string, isTooLarge = false, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause });
    this.url = url;
    this.isTooLarge = isTooLarge;
  }
}

/** @throws FetchRefusal, also when the signal is aborted */
export async function fetchPublic(url: string, options: FetchPublicOptions): Promise<PublicFile> {
  return await guarded(url, options, async (sending) => {
    const { reply, target } = await follow(url, sending);
    const [type = "", ...parameters] = (reply.headers.get("content-type") ?? "").split(";");
    const charset = /^\s*charset="?([\w-]+)/i;
    return {
      url: target,
      type: type.trim().toLowerCase(),
      charset: parameters.map((text) => charset.exec(text)?.[1]).find((name) => name !== undefined),
      bytes: await readBounded(reply, target, options.maxBytes),
    };
  });
}

export interface PostPublicOptions extends Omit<FetchPublicOptions, "maxBytes"> {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * Sends a POST. Follows redirects that keep method and body, with status 307 or 308.
 *
 * @throws FetchRefusal for any reply but one of success, and when the signal is aborted
 */
export async function postPublic(url: string, options: PostPublicOptions): Promise<void> {
  const { headers, body } = options;
  await guarded(url, options, async (sending) => {
    const { reply } = await follow(url, { ...sending, post: { headers, body } });
    await reply.body?.cancel();
  });
}

/** Parts of a request that stay the same through its redirects. */
interface Sending {
  isAllowed: (address: string) => boolean;
  dispatcher: Agent;
  signal: AbortSignal;
  /** Undefined: a GET. */
  post?: { headers: Record<string, string>; body: string };
}

async function guarded<T>(
  url: string,
  { isAllowed = isForeignAddress, signal }: Omit<FetchPublicOptions, "maxBytes">,
  work: (sending: Sending) => Promise<T>,
): Promise<T> {
  // Names are resolved only here, so the checked address is the one contacted.
  const dispatcher = new Agent({ connect: { lookup: guardedLookup(isAllowed) } });
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    return await work({ isAllowed, dispatcher, signal: limited });
  } catch (error) {
    if (error instanceof FetchRefusal) throw error;
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const why = isLate ? `it took longer than ${limitMs / 1000} seconds` : reasonOf(error);
    throw new FetchRefusal(url, why, false, error);
  } finally {
    await dispatcher.destroy();
  }
}

async function follow(
  url: string,
  { isAllowed, dispatcher, signal, post }: Sending,
): Promise<{ reply: Response; target: string }> {
  let next = url;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const target = URL.parse(next);
    if (target === null || !/^https?:$/.test(target.protocol)) {
      throw new FetchRefusal(next, "it is not an http or https URL");
    }
    const host = target.hostname.replace(/^\[|\]$/g, "");
    // A host name is checked after its lookup.
    if (isIP(host) !== 0 && !isAllowed(host)) throw new FetchRefusal(next, notPublic);
    target.username = "";
    target.password = "";
    const method = post === undefined ? "GET" : "POST";
    const reply = await fetch(target, { ...post, method, dispatcher, signal, redirect: "manual" });
    const location = reply.headers.get("location");
    const isRedirect =
      post === undefined
        ? reply.status >= 300 && reply.status < 400
        : reply.status === 307 || reply.status === 308;
    if (isRedirect && location !== null) {
      await reply.body?.cancel();
      const redirect = URL.parse(location, target);
      if (redirect === null) {
        throw new FetchRefusal(next, `it redirects to ${quoteShort(location)}, which is no URL`);
      }
      next = redirect.href;
      continue;
    }
    if (reply.ok) return { reply, target: target.href };
    await reply.body?.cancel();
    throw new FetchRefusal(next, `the server replied with status ${reply.status}`);
  }
  throw new FetchRefusal(url, `it redirects more than ${maxRedirects} times`);
}

async function readBounded(reply: Response, url: string, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let readBytes = 0;
  const checkSize = (sizeBytes: number) => {
    if (sizeBytes > maxBytes) throw new FetchRefusal(url, "it is too large", true);
  };
  checkSize(Number(reply.headers.get("content-length") ?? 0));
  for await (const chunk of reply.body ?? []) {
    readBytes += chunk.byteLength;
    checkSize(readBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const notPublic = "it is not on the public internet";

/** Resolves names as Node does, and refuses addresses that must not be contacted. */
function guardedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookupName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, "", 0);
        return;
      }
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
        callback(new Error(notPublic), "", 0);
        return;
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The message of fetch's error only says that it failed; its cause has the reason. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message.replace(/\.$/, "") : String(cause);
}
