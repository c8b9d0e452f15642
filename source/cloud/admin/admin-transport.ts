// HTTP to a control plane: over its socket, or over an address with an admin key.
import http from "node:http";
import https from "node:https";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import type { ErrorDocument } from "./documents.ts";

/** Where a control plane is reached. */
export type AdminAddress =
  | { socketPath: string }
  | {
      /** Such as `https://models.example.org:8443`, without a path. */
      url: string;
      key: string;
      /** A certificate authority to trust besides the system's, as PEM. */
      certificateAuthority?: string | undefined;
    };

export interface AdminRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_/v1/`. */
  path: string;
  query?: Record<string, string | number | boolean | undefined> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

const basePath = "/_/v1/";
/** What a header can hold; no key has anything else. */
const keyPattern = /^[\x21-\x7e]+$/;

/**
 * Resolves with a successful reply's head; its body is yet to be read.
 *
 * @throws ProductError the control plane's own, `CLOUD_KEY_REFUSED`, or `CLOUD_SERVER_UNREACHABLE`
 */
export async function askAdmin(
  address: AdminAddress,
  request: AdminRequest,
): Promise<http.IncomingMessage> {
  const reply = await send(address, request);
  const { statusCode = 0 } = reply;
  if (statusCode >= 200 && statusCode < 300) return reply;
  throw refusal(address, statusCode, await readText(reply));
}

export async function readText(reply: http.IncomingMessage): Promise<string> {
  reply.setEncoding("utf8");
  let text = "";
  for await (const piece of reply) text += piece;
  return text;
}

/**
 * The documents of a streamed reply as they come; one on each line.
 *
 * @throws ProductError `CLOUD_SERVER_UNREACHABLE` when the connection breaks
 */
export async function* readDocuments<T>(
  address: AdminAddress,
  reply: http.IncomingMessage,
  signal?: AbortSignal,
): AsyncGenerator<T> {
  reply.setEncoding("utf8");
  let rest = "";
  try {
    for await (const piece of reply) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      // The control plane is of the same package; its documents are not read again field by field.
      for (const line of lines) if (line !== "") yield JSON.parse(line) as T;
    }
  } catch (error) {
    if (signal?.aborted) return;
    throw unreachable(address, error, "went away in the middle of an answer");
  }
}

async function send(address: AdminAddress, request: AdminRequest): Promise<http.IncomingMessage> {
  if ("key" in address && !keyPattern.test(address.key)) throw noKey();
  const { method, signal } = request;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const headers = {
    ...("key" in address && { authorization: `Key ${address.key}` }),
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    }),
  };
  const shared = { method, headers, agent: false as const, ...(signal && { signal }) };
  return await new Promise((resolve, reject) => {
    const outgoing = open(address, pathOf(request), shared);
    outgoing.once("response", resolve);
    outgoing.once("error", (error) => {
      reject(signal?.aborted ? error : unreachable(address, error, "does not answer"));
    });
    outgoing.end(body);
  });
}

function open(
  address: AdminAddress,
  path: string,
  options: http.RequestOptions,
): http.ClientRequest {
  if ("socketPath" in address) {
    return http.request({ ...options, socketPath: address.socketPath, path });
  }
  const url = new URL(path, address.url);
  if (url.protocol === "http:") return http.request(url, options);
  const ca = address.certificateAuthority;
  return https.request(url, { ...options, ...(ca !== undefined && { ca }) });
}

function pathOf({ path, query = {} }: AdminRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const search = parameters.toString();
  return `${basePath}${path}${search === "" ? "" : `?${search}`}`;
}

function nameOf(address: AdminAddress): string {
  return "socketPath" in address ? address.socketPath : address.url;
}

function unreachable(address: AdminAddress, cause: unknown, what: string): ProductError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return new ProductError(cloudErrors.serverUnreachable, {
    message: `The control plane at ${nameOf(address)} ${what}${code === "" ? "" : ` (${code})`}.`,
    hint: adviceOn(address, code),
    cause,
  });
}

/** OpenSSL's names for a certificate whose authority is not known. */
const untrustedCodes: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function adviceOn(address: AdminAddress, code: string): string {
  if ("socketPath" in address) return "Start it with deployctl up.";
  if (untrustedCodes.has(code)) {
    return "Its certificate's authority is not trusted here: copy the file that deployctl tls trust names there, and give it with --ca.";
  }
  return "Check the address with deployctl profile, and that the server runs.";
}

function noKey(): ProductError {
  return new ProductError(cloudErrors.keyRefused, {
    message: "The admin key is empty, or has spaces, line breaks or other signs that no key has.",
    hint: "Copy it again from where it was made; deployctl keys create --scope admin makes another.",
  });
}

/** The error as the control plane threw it. */
function refusal(address: AdminAddress, status: number, text: string): ProductError {
  const document = readErrorDocument(text);
  if (document === undefined) {
    return unreachable(address, new Error(text), `answers ${status}, not as a control plane does`);
  }
  const { code, message, hint, exitCode } = document.error;
  return new ProductError(
    { code, status, exitCode, description: "" },
    { message, ...(hint !== undefined && { hint }) },
  );
}

function readErrorDocument(text: string): ErrorDocument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== "object" || !("error" in value)) return undefined;
    const { error } = value;
    if (error === null || typeof error !== "object") return undefined;
    const { code, message, hint, exitCode } = error as Record<string, unknown>;
    if (typeof code !== "string" || typeof message !== "string") return undefined;
    // The gateway's errors have a code and a message too: only a control plane's have this.
    if (typeof exitCode !== "number") return undefined;
    return { error: { code, message, ...(typeof hint === "string" && { hint }), exitCode } };
  } catch {
    return undefined; // not JSON: some other program answers there
  }
}
