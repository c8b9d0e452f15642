// Explains a failed connection: no network, connection refused, certificate, proxy.
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { RetryableError } from "./retry.ts";

/** Explains a network error; `RetryableError` if another attempt may help. */
export function networkError(error: unknown, url: string): ProductError {
  const { host, hostname: wanted, protocol, port } = new URL(url);
  const { code, message, dialled, hostname = wanted } = rootOf(error);
  if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS|ERR_SSL|EPROTO|UND_ERR_PRX_TLS/.test(code)) {
    return new ProductError(storeErrors.hubCertificate, {
      message: `The secure connection to ${host} failed (${code}).`,
      hint: "Behind a corporate proxy, set NODE_EXTRA_CA_CERTS to its certificate. Otherwise check the clock and the address.",
      cause: error,
    });
  }
  const isUnknown = code === "ENOTFOUND" || code === "EAI_AGAIN";
  if (isUnknown && hostname !== wanted) {
    return new RetryableError(storeErrors.hubOffline, {
      message: `The proxy ${hostname}, used for ${host}, cannot be resolved (${code}).`,
      hint: "Check the proxy variables, such as HTTPS_PROXY, and the network connection.",
      cause: error,
    });
  }
  if (isUnknown) {
    return new RetryableError(storeErrors.hubOffline, {
      message: `${hostname} cannot be resolved (${code}): this machine seems to be offline.`,
      hint: "Check the network connection, HF_ENDPOINT and the proxy variables.",
      cause: error,
    });
  }
  const proxyStatus =
    /^Proxy response \((\d+)\)/.exec(message)?.[1] ?? /\((407)\)/.exec(message)?.[1];
  if (proxyStatus !== undefined) {
    return new ProductError(storeErrors.hubUnreachable, {
      message: `The proxy refused a connection to ${host} (status ${proxyStatus}).`,
      hint:
        proxyStatus === "407"
          ? "The proxy requires a password: set HTTPS_PROXY to http://NAME:PASSWORD@proxy.example:3128."
          : "Check HTTPS_PROXY, or add the host to NO_PROXY.",
    });
  }
  const ownPort = Number(port) || (protocol === "https:" ? 443 : 80);
  const isProxy = dialled !== undefined && dialled.port !== ownPort;
  const target = isProxy
    ? `the proxy at ${dialled.address}:${dialled.port}, used for ${host},`
    : host;
  return new RetryableError(storeErrors.hubUnreachable, {
    message: `The connection to ${target} failed: ${reasonOf(code, message)}.`,
    hint: `Check the network connection${isProxy ? "" : ", HF_ENDPOINT"} and the proxy variables, then run the command again to resume.`,
    cause: error,
  });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  UND_ERR_SOCKET: "closed in the middle of a reply",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "closed in the middle of a reply",
  PROXY_CLOSED: "closed without a reply",
  UND_ERR_CONNECT_TIMEOUT: "connecting timed out",
  ETIMEDOUT: "connecting timed out",
  UND_ERR_HEADERS_TIMEOUT: "no data for too long",
  UND_ERR_BODY_TIMEOUT: "no data for too long",
  ENETUNREACH: "no route from this network",
  EHOSTUNREACH: "no route from this network",
};

function reasonOf(code: string, message: string): string {
  return reasons[code] ?? (code === "" ? message : code);
}

interface RootError {
  code: string;
  message: string;
  /** Host name that was looked up, possibly the proxy's. */
  hostname?: string;
  /** Target of the connection, possibly the proxy. */
  dialled?: { address: string; port: number };
}

/** Unwraps the informative error, which undici and Node's dialling of several addresses wrap. */
function rootOf(error: unknown): RootError {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error.cause instanceof Error && (code === "" || code === "UND_ERR_SOCKET")) {
    const inner = rootOf(error.cause);
    if (inner.code !== "") return inner;
  }
  const { hostname, address, port } = error as NodeJS.ErrnoException & Record<string, unknown>;
  return {
    code,
    message: error.message,
    ...(typeof hostname === "string" && { hostname }),
    ...(typeof address === "string" && typeof port === "number" && { dialled: { address, port } }),
  };
}
