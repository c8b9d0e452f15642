// What a failed connection means, in words: no network, a refused connection, a certificate, a proxy.
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { RetryableError } from "./retry.ts";

/** One sentence for an error of the network; worth another try unless trying cannot help. */
export function networkError(error: unknown, url: string): ProductError {
  const { host, hostname: wanted, protocol, port } = new URL(url);
  const { code, message, dialled, hostname = wanted } = rootOf(error);
  if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS|ERR_SSL|EPROTO|UND_ERR_PRX_TLS/.test(code)) {
    return new ProductError(storeErrors.hubCertificate, {
      message: `The secure connection to ${host} failed (${code}).`,
      hint: "Behind a company's proxy, name its certificate in NODE_EXTRA_CA_CERTS; otherwise check the clock and the address.",
      cause: error,
    });
  }
  const isUnknown = code === "ENOTFOUND" || code === "EAI_AGAIN";
  if (isUnknown && hostname !== wanted) {
    return new RetryableError(storeErrors.hubOffline, {
      message: `The address of the proxy ${hostname}, on the way to ${host}, cannot be found (${code}).`,
      hint: "Check the proxy variables, such as HTTPS_PROXY, and the network connection.",
      cause: error,
    });
  }
  if (isUnknown) {
    return new RetryableError(storeErrors.hubOffline, {
      message: `The address of ${hostname} cannot be found (${code}): this machine seems to be offline.`,
      hint: "Check the network connection, HF_ENDPOINT and the proxy variables.",
      cause: error,
    });
  }
  const proxyStatus =
    /^Proxy response \((\d+)\)/.exec(message)?.[1] ?? /\((407)\)/.exec(message)?.[1];
  if (proxyStatus !== undefined) {
    return new ProductError(storeErrors.hubUnreachable, {
      message: `The proxy does not pass a connection to ${host} on (status ${proxyStatus}).`,
      hint:
        proxyStatus === "407"
          ? "It wants a name and a password: http://NAME:PASSWORD@proxy.example:3128 in HTTPS_PROXY."
          : "Check HTTPS_PROXY, or name the host in NO_PROXY.",
    });
  }
  const ownPort = Number(port) || (protocol === "https:" ? 443 : 80);
  const isProxy = dialled !== undefined && dialled.port !== ownPort;
  const target = isProxy
    ? `the proxy at ${dialled.address}:${dialled.port}, on the way to ${host},`
    : host;
  return new RetryableError(storeErrors.hubUnreachable, {
    message: `The connection to ${target} failed: ${reasonOf(code, message)}.`,
    hint: `Check the network connection${isProxy ? "" : ", HF_ENDPOINT"} and the proxy variables, then run the same again: it resumes.`,
    cause: error,
  });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it was refused",
  ECONNRESET: "it was reset",
  EPIPE: "it was reset",
  UND_ERR_SOCKET: "it was closed in the middle of a reply",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "it was closed in the middle of a reply",
  PROXY_CLOSED: "it was closed without an answer",
  UND_ERR_CONNECT_TIMEOUT: "no connection came about in time",
  ETIMEDOUT: "no connection came about in time",
  UND_ERR_HEADERS_TIMEOUT: "nothing came for too long",
  UND_ERR_BODY_TIMEOUT: "nothing came for too long",
  ENETUNREACH: "there is no way to it from this network",
  EHOSTUNREACH: "there is no way to it from this network",
};

function reasonOf(code: string, message: string): string {
  return reasons[code] ?? (code === "" ? message : code);
}

interface RootError {
  code: string;
  message: string;
  /** The name that was looked up, which may be the proxy's. */
  hostname?: string;
  /** Where the connection should have led, which may be the proxy. */
  dialled?: { address: string; port: number };
}

/** undici and Node's dialling of several addresses wrap the error that says something. */
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
