// The dispatcher for requests to the hub: undici's agent, or its proxy agent behind a proxy.
import type { Agent, Dispatcher, Pool } from "undici";
import { systemCode } from "../../base/write-refusal.ts";
import type { HubSettings } from "./hub-settings.ts";

export interface DispatcherOptions {
  /** Connections to one host at a time. */
  connections: number;
  /** Longest pause of the other side before a request fails. */
  stallTimeoutMs: number;
}

/** Loads only the parts it needs: all of undici takes twice as long as its agent alone. */
export async function openDispatcher(
  { http, https, except }: HubSettings["proxy"],
  { connections, stallTimeoutMs }: DispatcherOptions,
): Promise<Dispatcher> {
  const options: Agent.Options = {
    connections,
    pipelining: 1,
    connect: { timeout: stallTimeoutMs },
    // A valid reply has small headers.
    maxHeaderSize: 64 * 1024,
  };
  if (http === undefined && https === undefined) {
    const { default: DirectAgent } = await import("undici/lib/dispatcher/agent.js");
    return new DirectAgent(options);
  }
  const undici = await import("undici");
  return new undici.EnvHttpProxyAgent({
    ...options,
    // Empty strings keep the agent from reading the environment.
    httpProxy: http ?? "",
    httpsProxy: https ?? "",
    noProxy: except,
    // Most proxies tunnel to TLS ports only.
    proxyTunnel: false,
    clientFactory: proxyClients(undici.Pool, stallTimeoutMs),
  });
}

/** When a tunnel fails with one of these codes, undici asks for another one at once, forever. */
const retriedForever = new Set(["UND_ERR_SOCKET", "UND_ERR_INFO"]);

/** A `clientFactory` for undici's proxy agents, whose clients report a refused tunnel once. */
function proxyClients(
  PoolOfClients: typeof Pool,
  stallTimeoutMs: number,
): (origin: URL, options: object) => Dispatcher {
  return (origin, options) => {
    const pool = new PoolOfClients(origin, { ...options, headersTimeout: stallTimeoutMs });
    const connect = pool.connect.bind(pool);
    const connectOrFail = (request: Dispatcher.ConnectOptions) =>
      connect(request).catch((error: unknown) => {
        throw retriedForever.has(systemCode(error) ?? "") ? tunnelClosed(origin, error) : error;
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
