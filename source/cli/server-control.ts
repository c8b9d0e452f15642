// The Server screen's actions on the server in this process.
import { openServerKeys } from "../application/server-keys.ts";
import { isLoopback, parseAddress, type ServerAddress } from "../configuration/address.ts";
import type { KeyRule, ServerSettings } from "../ui/screens/server/server-settings.ts";
import type { ServerControl } from "../ui/screens/server/server-state.ts";
import { otherUsers } from "./leave-server.ts";
import type { ServerLink } from "./server-link.ts";
import type { CommandSettings } from "./session-settings.ts";

/** Ports that are tried when the chosen one is in use. */
const morePorts = 20;

export function controlOf(link: ServerLink): ServerControl {
  /** Settings of the last failed attempt to start. */
  let tried: CommandSettings | undefined;
  const startWith = async (settings: CommandSettings, more = 0): Promise<void> => {
    tried = settings;
    await link.hostWith(settings, more);
    tried = undefined;
  };
  return {
    isRunning: () => !link.isStopped,
    settings: () => shown(tried ?? link.settings, link),
    warning: () => (link.isStopped ? undefined : warningOf(link.settings)),
    users: () =>
      link.isHosting && link.hosted !== undefined ? otherUsers(link.hosted, Date.now()) : undefined,
    stop: () => link.stopHosting(link.settings.values.shutdown_timeout),
    start: async () => {
      tried = undefined;
      await link.startHosting();
    },
    startWith: (wanted) => startWith(changed(link.settings, wanted, shown(link.settings, link))),
    startOnNextPort: async () => {
      const settings = tried ?? link.settings;
      const address = settings.address ?? addressOf(link);
      await startWith({ ...settings, address }, morePorts);
    },
    makeKey: async () => {
      const store = openServerKeys(link.settings.paths, () => {});
      try {
        return store.create({ name: "server screen", role: "infer", expiresAt: undefined }).token;
      } finally {
        store.close();
      }
    },
  };
}

/** Without an address, the server has used the default one, or the next one. */
function addressOf(link: ServerLink): ServerAddress {
  const { url } = link.client.connection;
  const address = parseAddress(url);
  if (address === undefined) throw new Error(`${url} is not an address`);
  return address;
}

function shown({ values, address }: CommandSettings, link: ServerLink): ServerSettings {
  const { host, port } = address ?? addressOf(link);
  const requireKey: KeyRule = values.require_key === "auto" ? "auto" : `${values.require_key}`;
  return { host, port, requireKey, origins: values.origins };
}

/** An unchanged default address stays a default. */
function changed(
  settings: CommandSettings,
  wanted: ServerSettings,
  before: ServerSettings,
): CommandSettings {
  const { host, port, requireKey, origins } = wanted;
  const isMoved = host !== before.host || port !== before.port;
  const address: ServerAddress = { scheme: "http", path: "", host, port };
  return {
    ...settings,
    address: isMoved ? address : settings.address,
    values: {
      ...settings.values,
      require_key: requireKey === "auto" ? "auto" : requireKey === "true",
      origins: [...origins],
    },
  };
}

function warningOf({ address, values }: CommandSettings): string | undefined {
  if (address === undefined || isLoopback(address.host)) return undefined;
  if (values.require_key === true || !values.insecure_no_key) return undefined;
  return `Anybody who can reach ${address.host}:${address.port} can use this server without a key`;
}
