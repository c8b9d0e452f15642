// The services behind the full screen: the server, the chat's model, the saved chats.
import { readRequestFilter } from "../application/request-filter.ts";
import { describeError } from "../base/product-error.ts";
import { showModel } from "../client/chat-calls.ts";
import type { AppParts } from "../ui/app/app-options.ts";
import { chatStorage } from "./chat-storage.ts";
import type { Flags } from "./flags.ts";
import { createHttpBackend, settingsOf } from "./http-backend.ts";
import { controlOf } from "./server-control.ts";
import { ServerLink } from "./server-link.ts";
import { findSession } from "./session-flag.ts";
import type { CommandSettings } from "./session-settings.ts";

export interface ScreenParts {
  readonly link: ServerLink;
  readonly parts: AppParts;
}

/** @throws those of `ServerLink.open`; ServerRefusal when the model does not exist */
export async function openScreenParts(
  model: string,
  flags: Flags,
  settings: CommandSettings,
): Promise<ScreenParts> {
  const notices: string[] = [];
  const tell = (sentence: string) => notices.push(sentence);
  const link = await ServerLink.open(flags, settings, "hosted", model, { tell });
  for (const notice of link.hosted?.notices ?? []) tell(notice);
  try {
    const [chat, cloud] = await Promise.all([
      openChat(link, model, flags, settings),
      openCloud(tell),
    ]);
    return { link, parts: { chat, server: serverOf(link), ...cloud, notices } };
  } catch (error) {
    await link.close();
    throw error;
  }
}

async function openChat(
  link: ServerLink,
  model: string,
  flags: Flags,
  settings: CommandSettings,
): Promise<NonNullable<AppParts["chat"]>> {
  const backend = await createHttpBackend(link, model, flags);
  const { examples = [] } = backend.facts;
  const kept = chatStorage(settings, settings.paths);
  const session = kept.sessions && (await findSession(kept.sessions, flags));
  return {
    backend,
    settings: settingsOf(flags),
    // The chat is there before them.
    messages: showModel(link.client, model).then(({ messages }) => messages),
    ...(examples.length > 0 && { examplePrompts: examples }),
    ...kept,
    ...(session !== undefined && { session }),
  };
}

/** Settings of deployctl that cannot be read are no reason to go without a chat. */
async function openCloud(tell: (sentence: string) => void): Promise<Pick<AppParts, "cloud">> {
  try {
    const { createCloudAccess } = await import("./cloud/screen-access.ts");
    return { cloud: createCloudAccess({}) };
  } catch (error) {
    tell(describeError(error));
    return {};
  }
}

function serverOf(link: ServerLink): NonNullable<AppParts["server"]> {
  return {
    client: () => link.client,
    readFilter: readRequestFilter,
    ...(link.hosted !== undefined && { control: controlOf(link) }),
  };
}
