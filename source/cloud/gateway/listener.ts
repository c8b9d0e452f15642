// One address that the gateway listens on, with or without encryption.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from "node:http";
import { createServer as createTlsServer, Server as TlsServer } from "node:https";
import type { Duplex } from "node:stream";
import { endConnection } from "../../base/end-connection.ts";
import { keepHalfClosed } from "../../base/half-closed.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { isLoopback, urlOf } from "../../configuration/address.ts";
import { cloudErrors } from "../errors.ts";
import type { BoundAddress, Encryption, ListenerOptions } from "./listener-options.ts";
import type { Door, Reception } from "./reception.ts";
import {
  type CertificateFiles,
  readCertificate,
  watchCertificate,
} from "./tls/certificate-files.ts";
import { onPlainCaller } from "./tls/plain-callers.ts";
import { ensureSelfSigned } from "./tls/self-signed.ts";
import { answerUnreadable } from "./unreadable.ts";

export interface ListenerSurroundings {
  reception: Reception;
  headerBytes: number;
  /** Whether proxies are trusted that may be the only ones to use plain HTTP. */
  hasProxies: boolean;
  log: (text: string) => void;
}

const headersTimeoutMs = 60_000;
const keepAliveTimeoutMs = 75_000;

export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #stopWatching: () => void;
  address: BoundAddress | undefined;

  private constructor(options: ListenerOptions, server: Server, stopWatching: () => void) {
    this.#options = options;
    this.#server = server;
    this.#stopWatching = stopWatching;
  }

  /**
   * @throws ProductError `CLOUD_PLAIN_HTTP_REFUSED`, `CLOUD_CERTIFICATE_UNUSABLE`,
   *   `CLOUD_ADDRESS_UNUSABLE`
   */
  static async open(options: ListenerOptions, around: ListenerSurroundings): Promise<Listener> {
    const door = doorOf(options, around.hasProxies);
    const files = await certificateOf(options);
    const server =
      files === undefined ? createServer(serverOptions(around)) : secure(files, around);
    serve(server, around, door);
    const stopWatching = watch(server, options.encryption, around.log);
    const listener = new Listener(options, server, stopWatching);
    await listener.#bind(door.scheme);
    return listener;
  }

  /** Ends idle connections; those in use end with their request. Resolves when all have. */
  async close(): Promise<void> {
    this.#stopWatching();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    await closed;
  }

  cutConnections(): void {
    this.#server.closeAllConnections();
  }

  async #bind(scheme: "http" | "https"): Promise<void> {
    const { host, port } = this.#options;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once("error", reject);
        this.#server.listen({ host, port }, () => {
          this.#server.off("error", reject);
          resolve();
        });
      });
    } catch (cause) {
      this.#stopWatching();
      throw addressUnusable(host, port, cause);
    }
    const bound = this.#server.address();
    const actual = typeof bound === "object" && bound !== null ? bound.port : port;
    this.address = {
      scheme,
      host,
      port: actual,
      url: urlOf({ scheme, host, port: actual, path: "" }),
    };
  }
}

function doorOf(options: ListenerOptions, hasProxies: boolean): Door {
  const { host, encryption, allowsPlainHttp = false } = options;
  if (encryption.kind !== "none") return { scheme: "https", isForProxies: false };
  if (isLoopback(host) || allowsPlainHttp) return { scheme: "http", isForProxies: false };
  if (hasProxies) return { scheme: "http", isForProxies: true };
  throw new ProductError(cloudErrors.plainHttpRefused, {
    message: `On ${host} keys and prompts would go over the network unencrypted.`,
    hint: "Give --tls-cert and --tls-key, or --tls self-signed, or --behind-proxy with the proxy's addresses; --insecure-http allows it nevertheless.",
  });
}

async function certificateOf({
  encryption,
}: ListenerOptions): Promise<CertificateFiles | undefined> {
  switch (encryption.kind) {
    case "none":
      return undefined;
    case "files":
      return encryption;
    case "self-signed":
      return await ensureSelfSigned(encryption.folder, encryption.names);
  }
}

function serverOptions({ headerBytes }: ListenerSurroundings): ServerOptions {
  return {
    maxHeaderSize: headerBytes,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Long uploads and long waits are limited elsewhere.
    requestTimeout: 0,
    noDelay: true,
  };
}

function secure(files: CertificateFiles, around: ListenerSurroundings): Server {
  const server = createTlsServer({ ...serverOptions(around), ...readCertificate(files) });
  const { headerBytes } = around;
  onPlainCaller(server, (error, socket) => {
    answerUnreadable(error, socket, { headerBytes, isReplying: false });
  });
  return server;
}

/** A certificate of our own is made anew at a start. */
function watch(server: Server, encryption: Encryption, log: (text: string) => void): () => void {
  if (encryption.kind !== "files") return () => {};
  return watchCertificate(encryption, {
    onChange: (pair) => {
      if (server instanceof TlsServer) server.setSecureContext(pair);
      log(`the certificate ${encryption.certificateFile} was read again`);
    },
    onFailure: (error) => log(`${describeError(error)} The one before stays in use.`),
    intervalMs: encryption.checkMs,
  });
}

function serve(server: Server, { reception, headerBytes }: ListenerSurroundings, door: Door): void {
  keepHalfClosed(server);
  const onRequest: RequestListener = (request, response) => {
    reception.onRequest(request, response, door);
  };
  server.on("request", onRequest);
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("upgrade", (request, socket: Duplex, early: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === "websocket") {
      reception.onUpgrade(request, socket, early, door);
    } else {
      readAgainWithoutUpgrade(server, request, socket, early);
    }
  });
  server.on("connect", (_request, socket: Duplex) => {
    const lines = ["HTTP/1.1 405 Method Not Allowed", "Connection: close", "Content-Length: 0"];
    endConnection(socket, `${lines.join("\r\n")}\r\n\r\n`);
  });
  server.on("clientError", (error: Error, socket: Duplex) => {
    answerUnreadable(error, socket, { headerBytes, isReplying: reception.isReplyingOn(socket) });
  });
}

/**
 * An offer to change to another protocol may be ignored (RFC 9110 section 7.8); Java's client makes
 * one for HTTP/2 with every first request. Node has given the socket up by now and takes it anew.
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

function addressUnusable(host: string, port: number, cause: unknown): ProductError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const reasons: Record<string, string> = {
    EADDRINUSE: "another program listens there",
    EADDRNOTAVAIL: "this machine has no such address",
    EACCES: "ports below 1024 need more rights",
  };
  const reason = typeof code === "string" ? reasons[code] : undefined;
  return new ProductError(cloudErrors.addressUnusable, {
    message: `${host}:${port} cannot be listened on: ${reason ?? describeError(cause)}.`,
    hint: "Choose another address with --listen.",
    cause,
  });
}
