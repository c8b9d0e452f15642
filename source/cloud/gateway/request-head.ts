// Reads a request's headers once: those passed on to the replica, and those the gateway uses.

export interface RequestHead {
  /** Headers for the replica, unchanged: name, value, name, value. */
  passed: string[];
  authorization?: string | undefined;
  authorizationCount: number;
  host?: string | undefined;
  hostCount: number;
  /** Body size in bytes; undefined if the body is chunked or absent. */
  contentLength?: number | undefined;
  /** `chunked`, or a coding that is refused; undefined without the header. */
  transferCoding?: string | undefined;
  expect?: string | undefined;
  /** Set by a proxy in front of the gateway; used only if that proxy is trusted. */
  forwardedFor?: string | undefined;
  forwardedProto?: string | undefined;
  forwardedHost?: string | undefined;
  forwarded?: string | undefined;
  /** `X-Dctl-Start-Timeout` or `X-Fal-Request-Timeout`, as sent. */
  startTimeout?: string | undefined;
  coldStart?: string | undefined;
  /** `X-Dctl-Affinity` or `X-Fal-Runner-Hint`. */
  affinity?: string | undefined;
  forbidsRetry: boolean;
  /** The queue may send the request to a second replica. */
  allowsRetry: boolean;
  /** `X-Fal-Queue-Priority`, as sent. */
  priority?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** Hop-by-hop headers (RFC 9110 section 7.6.1), and those set by the gateway's own client. */
const ownHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "proxy-authenticate",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

export function isOfOneHop(lowerCaseName: string): boolean {
  return ownHop.has(lowerCaseName);
}

/** Names that a Connection header lists as hop-by-hop, in lower case. */
export function namesInConnection(value: string): string[] {
  return value
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "close" && name !== "keep-alive");
}

/** @param raw name, value, name, value, as Node gives them */
export function readRequestHead(raw: readonly string[]): RequestHead {
  const head: RequestHead = {
    passed: [],
    authorizationCount: 0,
    hostCount: 0,
    forbidsRetry: false,
    allowsRetry: false,
  };
  let dropped: string[] | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const value = raw[index + 1] ?? "";
    const lowerCaseName = name.toLowerCase();
    if (lowerCaseName === "connection") {
      const names = namesInConnection(value);
      if (names.length > 0) dropped = dropped === undefined ? names : [...dropped, ...names];
    } else if (!note(head, lowerCaseName, value)) {
      head.passed.push(name, value);
    }
  }
  if (dropped !== undefined) head.passed = withoutHeaders(head.passed, new Set(dropped));
  return head;
}

/** Headers for the gateway alone; of several the last one counts. */
const ownFields = new Map(
  Object.entries({
    host: "host",
    authorization: "authorization",
    expect: "expect",
    "x-forwarded-proto": "forwardedProto",
    "x-forwarded-host": "forwardedHost",
    forwarded: "forwarded",
    "x-dctl-start-timeout": "startTimeout",
    "x-dctl-cold-start": "coldStart",
    "x-dctl-affinity": "affinity",
  } as const),
);

/** @returns true if the header is for the gateway and is not passed on */
function note(head: RequestHead, name: string, value: string): boolean {
  const field = ownFields.get(name);
  if (field !== undefined) head[field] = value;
  switch (name) {
    case "host":
      head.hostCount += 1;
      break;
    case "authorization":
      head.authorizationCount += 1;
      break;
    case "content-length":
      head.contentLength = Number(value);
      return true;
    case "transfer-encoding":
      // Two of them form a list; only a single `chunked` is supported.
      head.transferCoding = head.transferCoding === undefined ? value : "several";
      return true;
    case "x-forwarded-for":
      // Each proxy may have added its own header.
      head.forwardedFor =
        head.forwardedFor === undefined ? value : `${head.forwardedFor}, ${value}`;
      return true;
    case "x-forwarded-prefix":
    case "x-real-ip":
      return true;
    case "x-fal-request-timeout":
      head.startTimeout ??= value;
      return false;
    case "x-fal-runner-hint":
      head.affinity ??= value;
      return false;
    case "x-fal-queue-priority":
      head.priority = value;
      return false;
    case "idempotency-key":
      head.idempotencyKey = value;
      return false;
    case "x-dctl-no-retry":
      head.forbidsRetry = value.trim() === "1";
      break;
    case "x-dctl-retry":
      head.allowsRetry = value.trim() === "1";
  }
  return field !== undefined || name.startsWith("x-dctl-") || ownHop.has(name) || imitatesOwn(name);
}

/** Drops forged gateway headers: many Python servers treat `_` in a name as `-`. */
function imitatesOwn(name: string): boolean {
  return name.includes("_") && /^x[-_](dctl[-_]|forwarded[-_]|real[-_]ip$)/.test(name);
}

/** @param headers name, value, name, value. @param names in lower case */
export function withoutHeaders(headers: readonly string[], names: ReadonlySet<string>): string[] {
  return headers.filter((_, index) => {
    return !names.has((headers[index - (index % 2)] ?? "").toLowerCase());
  });
}
