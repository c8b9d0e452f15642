// Reads a request's key from `Authorization: Bearer` or `x-api-key`.
import type { IncomingMessage } from "node:http";

export type KeyHeader =
  | { kind: "none" }
  | { kind: "key"; token: string; header: string }
  /** The message names the problem and repeats no secret. */
  | { kind: "malformed"; sentence: string };

/** `x-api-key` wins when both are sent: the other may be meant for a proxy. */
export function readKeyHeader({ headers, rawHeaders }: IncomingMessage): KeyHeader {
  const own = headers["x-api-key"];
  if (typeof own === "string" && own !== "") {
    return { kind: "key", token: own, header: "x-api-key" };
  }
  const { authorization } = headers;
  if (authorization === undefined || authorization === "") return { kind: "none" };
  const count = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === "authorization",
  ).length;
  if (count > 1) return malformed("The request has two Authorization headers.");
  const [scheme = "", token, ...rest] = authorization.trim().split(/ +/);
  if (scheme.toLowerCase() === "bearer") {
    if (token !== undefined && rest.length === 0) {
      return { kind: "key", token, header: "Authorization" };
    }
    return malformed(
      `The Authorization header has ${token === undefined ? "no key" : "more than a key"} behind 'Bearer'.`,
    );
  }
  // A lone word may be a key without its scheme.
  return malformed(
    token === undefined || !/^[A-Za-z][\w-]{0,20}$/.test(scheme)
      ? "The Authorization header has no scheme in front of the key."
      : `The Authorization header has the scheme '${scheme}'.`,
  );
}

function malformed(sentence: string): KeyHeader {
  return { kind: "malformed", sentence };
}
