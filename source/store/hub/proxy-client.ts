// A client that asks a proxy for a tunnel, and accepts a refusal.
import { type Dispatcher, Pool } from "undici";
import { systemCode } from "../../base/write-refusal.ts";

/** The codes with which undici, told that a tunnel failed, asks for another one at once and for ever. */
const triedForEver = new Set(["UND_ERR_SOCKET", "UND_ERR_INFO"]);

/** For `clientFactory` of undici's proxy agents. */
export function proxyClients(stallTimeoutMs: number): (origin: URL, options: object) => Dispatcher {
  return (origin, options) => {
    const pool = new Pool(origin, { ...options, headersTimeout: stallTimeoutMs });
    const connect = pool.connect.bind(pool);
    const connectOrFail = (request: Dispatcher.ConnectOptions) =>
      connect(request).catch((error: unknown) => {
        throw triedForEver.has(systemCode(error) ?? "") ? tunnelClosed(origin, error) : error;
      });
    return Object.assign(pool, { connect: connectOrFail });
  };
}

function tunnelClosed({ hostname, port, protocol }: URL, cause: unknown): Error {
  return Object.assign(new Error("The proxy closed the connection.", { cause }), {
    code: "PROXY_CLOSED",
    address: hostname,
    port: Number(port) || (protocol === "https:" ? 443 : 80),
  });
}
