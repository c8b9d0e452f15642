// Fetches an image that a request names by URL, if the owner allows it: limited in size and time,
// and only from the public internet.
import { lookup as lookupName } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, fetch, type Response } from "undici";
import { quoteShort } from "../base/display-text.ts";
import { formatBytes } from "../base/formats.ts";
import { ProductError } from "../base/product-error.ts";
import { serverErrors } from "./errors.ts";
import { networks } from "./networks.ts";

const maxRedirects = 3;
const limitMs = 15_000;

interface FetchOptions {
  largestBytes: number;
  /** Path of the address in the request. */
  param: string;
  signal: AbortSignal;
  /** Tells if an address may be contacted. Defaults to public addresses. */
  isAllowed?: (address: string) => boolean;
}

/**
 * @returns the image as a data URI
 * @throws ProductError `SERVER_IMAGE_REMOTE`, `SERVER_IMAGE_TOO_LARGE`
 */
export async function fetchImage(url: string, options: FetchOptions): Promise<string> {
  const { isAllowed = isPublicAddress, param } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(limitMs)]);
  // Names are resolved only here, so the checked address is the one contacted.
  const dispatcher = new Agent({ connect: { lookup: guardedLookup(isAllowed) } });
  try {
    const reply = await follow(url, { ...options, isAllowed }, dispatcher, signal);
    const bytes = await readBounded(reply, options);
    const type = reply.headers.get("content-type")?.split(";")[0]?.trim() ?? "";
    // Many file servers send this type for everything, so it means nothing.
    const named = /^image\/[\w.+-]+$/i.test(type) ? type : "";
    return `data:${named};base64,${bytes.toString("base64")}`;
  } catch (error) {
    if (error instanceof ProductError) throw error;
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const why = isLate ? `it took longer than ${limitMs / 1000} seconds` : reasonOf(error);
    throw refused(url, why, param, error);
  } finally {
    await dispatcher.destroy();
  }
}

async function follow(
  url: string,
  { isAllowed, param }: Required<Pick<FetchOptions, "isAllowed" | "param">>,
  dispatcher: Agent,
  signal: AbortSignal,
): Promise<Response> {
  let next = url;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const target = URL.parse(next);
    if (target === null || !/^https?:$/.test(target.protocol)) {
      throw refused(next, "it is not an http or https URL", param);
    }
    const host = target.hostname.replace(/^\[|\]$/g, "");
    // A host name is checked after its lookup.
    if (isIP(host) !== 0 && !isAllowed(host)) throw refused(next, notPublic, param);
    target.username = "";
    target.password = "";
    const reply = await fetch(target, { dispatcher, signal, redirect: "manual" });
    const location = reply.headers.get("location");
    if (reply.status >= 300 && reply.status < 400 && location !== null) {
      await reply.body?.cancel();
      next = new URL(location, target).href;
      continue;
    }
    if (reply.ok) return reply;
    await reply.body?.cancel();
    throw refused(next, `the server replied with status ${reply.status}`, param);
  }
  throw refused(url, `it redirects more than ${maxRedirects} times`, param);
}

async function readBounded(
  reply: Response,
  { largestBytes, param }: Pick<FetchOptions, "largestBytes" | "param">,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = Number(reply.headers.get("content-length") ?? 0);
  let readBytes = 0;
  const refuseLarge = () => {
    throw new ProductError(serverErrors.imageTooLarge, {
      message: `The image at the URL in '${param}' exceeds the limit of ${formatBytes(largestBytes)}.`,
      hint: "Use a smaller one, or raise max_image_size.",
      param,
    });
  };
  if (sizeBytes > largestBytes) refuseLarge();
  for await (const chunk of reply.body ?? []) {
    readBytes += chunk.byteLength;
    sizeBytes = Math.max(sizeBytes, readBytes);
    if (readBytes > largestBytes) refuseLarge();
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

function refused(url: string, why: string, param: string, cause?: unknown): ProductError {
  return new ProductError(serverErrors.imageRemote, {
    message: `The image at ${quoteShort(url)} cannot be fetched: ${why}.`,
    hint: "Send the image itself as a data: URI.",
    param,
    ...(cause !== undefined && { cause }),
  });
}

/** The message of fetch's error only says that it failed; its cause has the reason. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message.replace(/\.$/, "") : String(cause);
}

// https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 counterpart
/** Tells addresses of this machine, of private networks, and others that are not public. */
const isSpecial = networks(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24",
  "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24",
  "224.0.0.0/4 240.0.0.0/4",
  // The first also holds old forms of IPv4 addresses.
  "::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20",
  "5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8",
);

/** @param address IPv4 or IPv6, without brackets */
export function isPublicAddress(address: string): boolean {
  return isIP(address) !== 0 && !isSpecial(address);
}
