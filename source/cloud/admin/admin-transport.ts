// HTTP transport to a control plane: its Unix socket, or an address with an admin key.
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { isRecord, parseJson } from "../../base/json.ts";
import { linesOf } from "../../base/lines.ts";
import { http, loadHttps } from "../../base/node-http.ts";
import { ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { cloudErrors } from "../errors.ts";
import type { ErrorDocument } from "./documents.ts";

/** Address of a control plane. */
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
  /** Streamed as the body, also while the response arrives. */
  upload?: Readable | undefined;
  signal?: AbortSignal | undefined;
}

const basePath = "/_/v1/";
/** Characters that an HTTP header allows; keys have no others. */
const keyPattern = /^[\x21-\x7e]+$/;

/**
 * Resolves with the head of a successful response; its body is unread.
 *
 * @throws ProductError the control plane's own, `CLOUD_KEY_REFUSED`, or `CLOUD_SERVER_UNREACHABLE`
 */
export async function askAdmin(
  address: AdminAddress,
  request: AdminRequest,
): Promise<IncomingMessage> {
  const reply = await send(address, request);
  const { statusCode = 0 } = reply;
  if (statusCode >= 200 && statusCode < 300) return reply;
  const text = await readText(reply);
  // An upload may not have ended.
  reply.destroy();
  throw refusal(address, statusCode, text);
}

/**
 * Yields the documents of a streamed response, one per line, as they arrive.
 *
 * @throws ProductError `CLOUD_SERVER_UNREACHABLE` when the connection breaks
 */
export async function* readDocuments<T>(
  address: AdminAddress,
  reply: IncomingMessage,
  signal?: AbortSignal,
): AsyncGenerator<T> {
  try {
    // Both ends ship in one package, so documents are not validated field by field.
    for await (const line of linesOf(reply)) yield JSON.parse(line) as T;
  } catch (error) {
    if (signal?.aborted) return;
    throw unreachable(address, error, "closed the connection during a response");
  }
}

async function send(address: AdminAddress, request: AdminRequest): Promise<IncomingMessage> {
  if ("key" in address && !keyPattern.test(address.key)) throw noKey();
  const { method, upload, signal } = request;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const headers = {
    ...("key" in address && { authorization: `Key ${address.key}` }),
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    }),
    ...(upload !== undefined && {
      "content-type": "application/octet-stream",
      // Otherwise the server closes the connection after its response. An upload that goes on would then fail,
      // and what was not read of the response would be lost.
      connection: "keep-alive",
    }),
  };
  const shared = { method, headers, agent: false as const, ...(signal && { signal }) };
  return await new Promise((resolve, reject) => {
    const outgoing = open(address, pathOf(request), shared);
    outgoing.once("response", resolve);
    outgoing.once("error", (error) => {
      reject(signal?.aborted ? error : unreachable(address, error, "does not respond"));
    });
    if (upload === undefined) outgoing.end(body);
    else stream(upload, outgoing);
  });
}

/** The response reports a broken connection. */
function stream(upload: Readable, outgoing: ClientRequest): void {
  outgoing.flushHeaders();
  outgoing.once("response", () => outgoing.on("error", () => {}));
  outgoing.once("close", () => upload.unpipe(outgoing));
  upload.once("close", () => {
    if (!upload.readableEnded) outgoing.destroy();
  });
  upload.pipe(outgoing);
}

function open(address: AdminAddress, path: string, options: RequestOptions): ClientRequest {
  if ("socketPath" in address) {
    return http.request({ ...options, socketPath: address.socketPath, path });
  }
  const url = new URL(path, address.url);
  if (url.protocol === "http:") return http.request(url, options);
  const ca = address.certificateAuthority;
  return loadHttps().request(url, { ...options, ...(ca !== undefined && { ca }) });
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
  const code = systemCode(cause) ?? "";
  return new ProductError(cloudErrors.serverUnreachable, {
    message: `The control plane at ${nameOf(address)} ${what}${code === "" ? "" : ` (${code})`}.`,
    hint: adviceOn(address, code),
    cause,
  });
}

/** OpenSSL's codes for a certificate signed by an unknown authority. */
const untrustedCodes: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function adviceOn(address: AdminAddress, code: string): string {
  if ("socketPath" in address) return "Start it with `deployctl up`.";
  if (untrustedCodes.has(code)) {
    return "Its certificate is not trusted. Run `deployctl tls trust` on the server, copy the file it names, and pass it with --ca.";
  }
  return "Check that the server is running, and its address with `deployctl profile`.";
}

function noKey(): ProductError {
  return new ProductError(cloudErrors.keyRefused, {
    message: "The admin key is empty or contains invalid characters.",
    hint: "Copy the key again, or create one with `deployctl keys create --scope admin`.",
  });
}

/** Rebuilds the error that the control plane threw. */
function refusal(address: AdminAddress, status: number, text: string): ProductError {
  const document = readErrorDocument(text);
  if (document === undefined) {
    return unreachable(
      address,
      new Error(text),
      `returned status ${status}, which is not a control plane's response`,
    );
  }
  const { code, message, hint, exitCode } = document.error;
  return new ProductError(
    { code, status, exitCode, description: "" },
    { message, ...(hint !== undefined && { hint }) },
  );
}

function readErrorDocument(text: string): ErrorDocument | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || !isRecord(value.error)) return undefined;
  const { code, message, hint, exitCode } = value.error;
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  // Tells a control plane's errors from the gateway's, which have no exit code.
  if (typeof exitCode !== "number") return undefined;
  return { error: { code, message, ...(typeof hint === "string" && { hint }), exitCode } };
}
