// The dispatcher for requests to the hub: undici's agent, or its proxy agent behind a proxy.
import type { OnReadOpts } from "node:net";
import type { Agent, Dispatcher } from "undici";
import type { HubSettings } from "./hub-settings.ts";

export interface DispatcherOptions {
  /** Connections to one host at a time. */
  connections: number;
  /** The longest silence of the other side before a request is given up. */
  stallTimeoutMs: number;
  /** The sockets' `onread`. */
  onread: OnReadOpts;
}

/** Loads no more than is needed: all of undici takes twice as long as its agent alone. */
export async function openDispatcher(
  { http, https, except }: HubSettings["proxy"],
  { connections, stallTimeoutMs, onread }: DispatcherOptions,
): Promise<Dispatcher> {
  const options: Agent.Options = {
    connections,
    pipelining: 1,
    connect: { timeout: stallTimeoutMs, onread },
    // A model's headers are small; a reply that consists of headers is not a valid one.
    maxHeaderSize: 64 * 1024,
  };
  if (http === undefined && https === undefined) {
    const { default: DirectAgent } = await import("undici/lib/dispatcher/agent.js");
    return new DirectAgent(options);
  }
  const { EnvHttpProxyAgent } = await import("undici");
  const { proxyClients } = await import("./proxy-client.ts");
  return new EnvHttpProxyAgent({
    ...options,
    // Empty texts keep the agent from reading the environment by itself.
    httpProxy: http ?? "",
    httpsProxy: https ?? "",
    noProxy: except,
    // Most proxies tunnel to TLS ports only.
    proxyTunnel: false,
    clientFactory: proxyClients(stallTimeoutMs),
  });
}
