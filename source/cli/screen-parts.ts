// Services for the full screen: the server and its control, the chat's model, saved chats, deployments.

import { keyVariable } from "../agents/agent.ts";
import { openServerKeys } from "../application/local-server/server-keys.ts";
import { describeError } from "../base/product-error.ts";
import type { FirstModels } from "../chat/chat-backend.ts";
import { showModel } from "../client/chat-calls.ts";
import { pullOnServer } from "../client/model-calls.ts";
import { readRecommended } from "../client/models-hub.ts";
import { isLoopback, parseAddress, type ServerAddress } from "../configuration/address.ts";
import { readRequestFilter } from "../request-log/filter.ts";
import type { AppParts } from "../ui/app/app-options.ts";
import type { KeyRule, ServerControl, ServerSettings } from "../ui/app/server-access.ts";
import { agentsInstalledFirst } from "./agent-program.ts";
import { type CommandTools, openScreenTools } from "./chat-tools.ts";
import { entryFile } from "./connect.ts";
import type { Flags } from "./flags.ts";
import { createHttpBackend, settingsOf } from "./http-backend.ts";
import { otherUsers } from "./leave-server.ts";
import { openLibrary } from "./model-library.ts";
import { chatStorage, findSession } from "./saved-chats.ts";
import { ServerLink } from "./server-link.ts";
import type { CommandSettings } from "./session-settings.ts";
import type { StartingModel } from "./starting-model.ts";

/** Number of ports to try after one in use. */
const morePorts = 20;

export interface ScreenParts {
  readonly link: ServerLink;
  readonly tools: CommandTools;
  readonly parts: AppParts;
}

/** @throws as `ServerLink.open`; ServerRefusal for an unknown model */
export async function openScreenParts(
  { name: model, isLastResort }: StartingModel,
  flags: Flags,
  settings: CommandSettings,
): Promise<ScreenParts> {
  // It may ask in the terminal.
  const tools = await openScreenTools(flags, settings);
  const notices: string[] = [];
  const tell = (sentence: string) => notices.push(sentence);
  const link = await ServerLink.open(flags, settings, "hosted", model, { tell });
  for (const notice of link.hosted?.notices ?? []) tell(notice);
  try {
    const [chat, cloud] = await Promise.all([
      openChat(link, model, flags, settings, tools),
      openCloud(tell),
    ]);
    const launcher = agentsOf(link, flags, () => chat.backend.facts.name);
    return {
      link,
      tools,
      parts: {
        chat: isLastResort ? { ...chat, firstModels: firstModelsOf(link) } : chat,
        server: { ...serverOf(link), findFiles: findFilesOf(flags, settings) },
        agents: launcher,
        ...cloud,
        notices,
      },
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** Returns the hub's models for the server's machine, which pulls them. */
function firstModelsOf(link: ServerLink): FirstModels {
  return {
    read: (signal) => readRecommended(link.client, signal),
    pull: (name, onProgress, signal) => pullOnServer(link.client, name, { onProgress, signal }),
  };
}

async function openChat(
  link: ServerLink,
  model: string,
  flags: Flags,
  settings: CommandSettings,
  tools: CommandTools,
): Promise<NonNullable<AppParts["chat"]>> {
  const backend = await createHttpBackend(link, model, flags, tools);
  const { examples = [] } = backend.facts;
  const kept = chatStorage(settings, settings.paths);
  const session = kept.sessions && (await findSession(kept.sessions, flags));
  return {
    backend,
    settings: settingsOf(flags),
    tools,
    // Not awaited: the chat opens before they arrive.
    messages: showModel(link.client, model).then(({ messages }) => messages),
    ...(examples.length > 0 && { examplePrompts: examples }),
    ...kept,
    ...(session !== undefined && { session }),
  };
}

/** Opens access to deployments; unreadable settings of deployctl only give a notice. */
async function openCloud(tell: (sentence: string) => void): Promise<Pick<AppParts, "cloud">> {
  try {
    const { createCloudAccess } = await import("./cloud/screen-access.ts");
    return { cloud: createCloudAccess({}) };
  } catch (error) {
    tell(describeError(error));
    return {};
  }
}

/** Returns the agents, each launched by a command of its own: it asks in the terminal what it must. */
function agentsOf(
  link: ServerLink,
  { key }: Flags,
  model: () => string,
): NonNullable<AppParts["agents"]> {
  return {
    choices: () =>
      agentsInstalledFirst().map(({ agent, isInstalled }) => ({
        value: agent.name,
        title: agent.title,
        note: isInstalled ? "installed" : "not installed",
      })),
    launching: (name) => {
      const { url } = link.client.connection;
      return {
        words: [process.execPath, entryFile, "launch", name, model(), "--connect", url],
        environment: key === undefined ? {} : { [keyVariable]: key },
      };
    },
  };
}

/** In this process: a server looks for nobody. Another machine's server could not read the files. */
function findFilesOf(flags: Flags, { values }: CommandSettings) {
  if (flags.connect !== undefined || !values.find_models) return undefined;
  return async () => await openLibrary(flags).library.findFiles();
}

function serverOf(link: ServerLink): NonNullable<AppParts["server"]> {
  return {
    client: () => link.client,
    readFilter: readRequestFilter,
    ...(link.hosted !== undefined && { control: controlOf(link) }),
  };
}

/** Returns the Server screen's actions on the server in this process. */
function controlOf(link: ServerLink): ServerControl {
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

/** Returns the server's address, which may be the one after the default. */
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
