// Address of a request's client, also behind trusted proxies.
import { BlockList, isIP } from "node:net";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import type { RequestHead } from "./request-head.ts";

/** Proxies whose X-Forwarded headers are trusted. */
export class TrustedProxies {
  readonly #blocks = new BlockList();
  readonly isEmpty: boolean;

  /**
   * @param blocks such as `10.0.0.0/8`, or single addresses
   * @throws ProductError `CLOUD_REQUEST_INVALID`
   */
  constructor(blocks: readonly string[] = []) {
    this.isEmpty = blocks.length === 0;
    for (const block of blocks) this.#add(block);
  }

  has(address: string): boolean {
    if (this.isEmpty) return false;
    const family = isIP(address);
    return family !== 0 && this.#blocks.check(address, family === 4 ? "ipv4" : "ipv6");
  }

  #add(block: string): void {
    const [address = "", prefix, ...more] = block.split("/");
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : Number(prefix);
    const isLength = /^\d{1,3}$/.test(prefix ?? "0") && length <= bits;
    if (family === 0 || !isLength || more.length > 0) {
      throw new ProductError(cloudErrors.requestInvalid, {
        message: `'${block}' is not an address or a CIDR block.`,
        hint: "Use a block such as 10.0.0.0/8, or a single address.",
      });
    }
    this.#blocks.addSubnet(address, length, family === 4 ? "ipv4" : "ipv6");
  }
}

export interface Origin {
  /** Address of the client, not of a trusted proxy. */
  address: string;
  /** Headers for the replica: name, value, name, value. */
  forwardHeaders: readonly string[];
  /** Address that the client asked, such as `https://models.example.org`; empty without a Host. */
  askedUrl: string;
}

/** Prefix of IPv4 addresses on a dual-stack socket. */
const mappedPrefix = "::ffff:";

export function plainAddress(address: string | undefined): string {
  if (address === undefined) return "unknown";
  return address.startsWith(mappedPrefix) ? address.slice(mappedPrefix.length) : address;
}

/** @param peer the other end of the connection */
export function readOrigin(
  head: RequestHead,
  peer: string,
  scheme: "http" | "https",
  proxies: TrustedProxies,
): Origin {
  const isTrusted = proxies.has(peer);
  const { forwardedFor, forwardedProto, forwardedHost, forwarded } = isTrusted ? head : nothing;
  const chain = (forwardedFor ?? "").split(",").map((part) => part.trim());
  // The last address that is not a trusted proxy; anything before it may be forged.
  const client = chain.findLast((address) => isIP(address) !== 0 && !proxies.has(address)) ?? peer;
  const host = forwardedHost ?? head.host;
  const forwardHeaders = [
    ...["X-Forwarded-For", forwardedFor === undefined ? peer : `${forwardedFor}, ${peer}`],
    ...["X-Real-IP", client],
    ...["X-Forwarded-Proto", forwardedProto ?? scheme],
  ];
  if (host !== undefined) forwardHeaders.push("X-Forwarded-Host", host);
  if (forwarded !== undefined) forwardHeaders.push("Forwarded", forwarded);
  const askedUrl = host === undefined ? "" : `${forwardedProto ?? scheme}://${host}`;
  return { address: client, forwardHeaders, askedUrl };
}

/** Headers of a peer that is not trusted. */
const nothing: Partial<RequestHead> = {};
