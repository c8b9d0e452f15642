// Address that the gateway listens on, with or without TLS.
import type { IncomingMessage, RequestListener, Server, ServerOptions } from "node:http";
import { createServer as createTlsServer, Server as TlsServer } from "node:https";
import type { Server as SocketServer } from "node:net";
import type { Duplex } from "node:stream";
import { allowHalfClosed, endConnection } from "../../base/http-connection.ts";
import { portHolder } from "../../base/listening-sockets.ts";
import { http } from "../../base/node-http.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { isLoopback, urlOf } from "../../configuration/address.ts";
import {
  type CertificateFiles,
  readCertificate,
  watchCertificate,
} from "../../tls/certificate-files.ts";
import { onPlainHttp } from "../../tls/plain-http.ts";
import { ensureSelfSigned } from "../../tls/self-signed.ts";
import { cloudErrors } from "../errors.ts";
import type { Encryption, ListenerOptions } from "./gateway-options.ts";
import { answerMalformed } from "./malformed-request.ts";
import type { Ingress, RequestHandler } from "./request-handler.ts";
import type { BoundAddress } from "./traffic.ts";

export interface ListenerContext {
  handler: RequestHandler;
  headerBytes: number;
  /** True if proxies are trusted, so that plain HTTP can be restricted to them. */
  hasProxies: boolean;
  log: (text: string) => void;
}

const headersTimeoutMs = 60_000;
const keepAliveTimeoutMs = 75_000;

export class Listener {
  readonly address: BoundAddress;
  readonly #server: Server;
  readonly #stopWatching: () => void;

  private constructor(server: Server, address: BoundAddress, stopWatching: () => void) {
    this.#server = server;
    this.address = address;
    this.#stopWatching = stopWatching;
  }

  /**
   * @throws ProductError `CLOUD_PLAIN_HTTP_REFUSED`, `TLS_CERTIFICATE_UNUSABLE`,
   *   `CLOUD_ADDRESS_UNUSABLE`
   */
  static async open(options: ListenerOptions, context: ListenerContext): Promise<Listener> {
    const { host, encryption } = options;
    const ingress = ingressOf(options, context.hasProxies);
    const files = await certificateOf(encryption);
    const server =
      files === undefined ? http.createServer(serverOptions(context)) : secure(files, context);
    serve(server, context, ingress);
    await bind(server, { host, port: options.port });
    const bound = server.address();
    const port = typeof bound === "object" && bound !== null ? bound.port : options.port;
    const { scheme } = ingress;
    const address = { scheme, host, port, url: urlOf({ scheme, host, port, path: "" }) };
    return new Listener(server, address, watch(server, encryption, context.log));
  }

  /** Closes idle connections now and busy ones after their request; resolves when all are closed. */
  async close(): Promise<void> {
    this.#stopWatching();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    await closed;
  }

  cutConnections(): void {
    this.#server.closeAllConnections();
  }
}

/** @throws ProductError `CLOUD_ADDRESS_UNUSABLE` */
async function bind(server: SocketServer, address: { host: string; port: number }): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(address, () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (cause) {
    throw await addressUnusable(address.host, address.port, cause);
  }
}

function ingressOf(options: ListenerOptions, hasProxies: boolean): Ingress {
  const { host, encryption, allowsPlainHttp = false } = options;
  if (encryption.kind !== "none") return { scheme: "https", isProxyOnly: false };
  if (isLoopback(host) || allowsPlainHttp) return { scheme: "http", isProxyOnly: false };
  if (hasProxies) return { scheme: "http", isProxyOnly: true };
  throw new ProductError(cloudErrors.plainHttpRefused, {
    message: `Refusing plain HTTP on ${host}: keys and prompts would cross the network unencrypted.`,
    hint: "Use --tls-cert and --tls-key, --tls self-signed, or --behind-proxy with the proxy's addresses. --insecure-http allows it anyway.",
  });
}

async function certificateOf(encryption: Encryption): Promise<CertificateFiles | undefined> {
  if (encryption.kind === "none") return undefined;
  if (encryption.kind === "files") return encryption;
  return await ensureSelfSigned(encryption.folder, encryption.names);
}

function serverOptions({ headerBytes }: ListenerContext): ServerOptions {
  return {
    maxHeaderSize: headerBytes,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Uploads and waits have their own limits.
    requestTimeout: 0,
    noDelay: true,
  };
}

function secure(files: CertificateFiles, context: ListenerContext): Server {
  const server = createTlsServer({ ...serverOptions(context), ...readCertificate(files) });
  const { headerBytes } = context;
  onPlainHttp(server, (error, socket) => {
    answerMalformed(error, socket, { headerBytes, isReplying: false });
  });
  return server;
}

/** Watches certificate files; a self-signed certificate is renewed at start-up. */
function watch(server: Server, encryption: Encryption, log: (text: string) => void): () => void {
  if (encryption.kind !== "files") return () => {};
  return watchCertificate(encryption, {
    onChange: (pair) => {
      if (server instanceof TlsServer) server.setSecureContext(pair);
      log(`reloaded the certificate ${encryption.certificateFile}`);
    },
    onFailure: (error) => log(`${describeError(error)} The previous certificate stays in use.`),
    intervalMs: encryption.checkMs,
  });
}

function serve(server: Server, { handler, headerBytes }: ListenerContext, ingress: Ingress): void {
  allowHalfClosed(server);
  const onRequest: RequestListener = (request, response) => {
    handler.onRequest(request, response, ingress);
  };
  server.on("request", onRequest);
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("upgrade", (request, socket: Duplex, early: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === "websocket") {
      handler.onUpgrade(request, socket, early, ingress);
    } else {
      readAgainWithoutUpgrade(server, request, socket, early);
    }
  });
  server.on("connect", (_request, socket: Duplex) => {
    const lines = ["HTTP/1.1 405 Method Not Allowed", "Connection: close", "Content-Length: 0"];
    endConnection(socket, `${lines.join("\r\n")}\r\n\r\n`);
  });
  server.on("clientError", (error: Error, socket: Duplex) => {
    // Requests in the same packet are admitted first.
    setImmediate(() => {
      answerMalformed(error, socket, { headerBytes, isReplying: handler.isReplyingOn(socket) });
    });
  });
}

/**
 * Ignores an upgrade to another protocol (RFC 9110 section 7.8), which Java's client offers with each
 * first request, for HTTP/2. Node has released the socket by now, so it is handed over again.
 */
function readAgainWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  early: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (!offerHeaders.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  socket.unshift(Buffer.concat([head, early]));
  server.emit(server instanceof TlsServer ? "secureConnection" : "connection", socket);
}

const offerHeaders = new Set(["connection", "upgrade", "http2-settings"]);

async function addressUnusable(host: string, port: number, cause: unknown): Promise<ProductError> {
  const code = systemCode(cause) ?? "";
  const isTaken = code === "EADDRINUSE";
  const holder = (isTaken ? await portHolder(port) : undefined) ?? "another program";
  const reasons: Record<string, string> = {
    EADDRINUSE: `already in use by ${holder}`,
    EADDRNOTAVAIL: "not an address of this machine",
    EACCES: "no permission; ports below 1024 need root",
  };
  const reason = reasons[code];
  return new ProductError(cloudErrors.addressUnusable, {
    message: `Cannot listen on ${host}:${port}: ${reason ?? describeError(cause)}.`,
    hint: isTaken
      ? "Stop it, or choose another address with --listen."
      : "Choose another address with --listen.",
    cause,
  });
}
