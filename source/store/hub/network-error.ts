// What a failed connection means, in words: no network, a refused connection, a certificate, a proxy.
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { RetryableError } from "./retry.ts";

/** One sentence for an error of the network; worth another try unless trying cannot help. */
export function networkError(error: unknown, url: string): ProductError {
  const { host } = new URL(url);
  const { code, message, hostname = host } = rootOf(error);
  if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS|ERR_SSL|EPROTO|UND_ERR_PRX_TLS/.test(code)) {
    return new ProductError(storeErrors.hubCertificate, {
      message: `The secure connection to ${host} failed (${code}).`,
      hint: "Behind a company's proxy, name its certificate in NODE_EXTRA_CA_CERTS; otherwise check the clock and the address.",
      cause: error,
    });
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
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
  return new RetryableError(storeErrors.hubUnreachable, {
    message: `The connection to ${host} failed: ${reasonOf(code, message)}.`,
    hint: "Check the network connection and the proxy variables, then run the same again: it resumes.",
    cause: error,
  });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it was refused",
  ECONNRESET: "it was reset",
  EPIPE: "it was reset",
  UND_ERR_SOCKET: "it was closed in the middle of a reply",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "it was closed in the middle of a reply",
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

/** undici and Node's dialling of several addresses wrap the error that says something. */
function rootOf(error: unknown): { code: string; message: string; hostname?: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error.cause instanceof Error && (code === "" || code === "UND_ERR_SOCKET")) {
    const inner = rootOf(error.cause);
    if (inner.code !== "") return inner;
  }
  // The name that was looked up, which may be the proxy's.
  const hostname = "hostname" in error && typeof error.hostname === "string" && error.hostname;
  return { code, message: error.message, ...(hostname && { hostname }) };
}
