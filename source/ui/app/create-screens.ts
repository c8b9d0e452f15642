// The screens behind the tabs, in their order.

import type { Clock } from "../../base/clock.ts";
import type { AppDocument } from "../../cloud/admin/documents.ts";
import type { FrameServices, Screen } from "../frame/screen.ts";
import { besideLivePane } from "../live/beside-live-pane.ts";
import { RequestFeed } from "../live/request-feed.ts";
import { ServerWatch } from "../live/server-watch.ts";
import { type ChatPlace, ChatPlaces } from "../screens/chat/chat-places.ts";
import { ChatScreen } from "../screens/chat/chat-screen.ts";
import type { CloudServer } from "../screens/cloud-access.ts";
import { ModelsScreen } from "../screens/models/models-screen.ts";
import { ServerScreen } from "../screens/server/server-screen.ts";
import type { Glyphs } from "../theme.ts";
import type { AppParts } from "./app-options.ts";

export interface ScreenContext {
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
}

export interface CreatedScreens {
  readonly chat: ChatPlaces;
  readonly screens: readonly Screen[];
  /** Undefined where there is no server to watch. */
  readonly watch: ServerWatch | undefined;
}

export async function createScreens(
  options: AppParts,
  context: ScreenContext,
): Promise<CreatedScreens> {
  const now = () => context.clock.wallMs();
  const watch = options.server && new ServerWatch({ client: options.server.client, now });
  const chat = new ChatPlaces(await ownChat(options, context, watch));
  return {
    chat,
    screens: [
      chat,
      ...serverScreens(options, context, watch),
      ...(await deploymentScreens(options, context, chat)),
    ],
    watch,
  };
}

/** The chat with the model of this machine. */
async function ownChat(
  options: AppParts,
  context: ScreenContext,
  watch: ServerWatch | undefined,
): Promise<ChatPlace | undefined> {
  if (options.chat === undefined) return undefined;
  const { backend } = options.chat;
  const chat = await ChatScreen.open(options.chat, context);
  const figures = () => chat.figures();
  const now = () => context.clock.wallMs();
  const screen =
    watch === undefined
      ? chat
      : besideLivePane(chat, { watch, figures, glyphs: context.glyphs, now });
  return { chat, screen, serverLabel: () => backend.serverLabel() };
}

function serverScreens(
  { server }: AppParts,
  context: ScreenContext,
  watch: ServerWatch | undefined,
): Screen[] {
  if (server === undefined || watch === undefined) return [];
  const { client, readFilter, control } = server;
  const now = () => context.clock.wallMs();
  const feed = new RequestFeed({ client, now });
  return [
    new ModelsScreen({ ...context, client }),
    new ServerScreen({ ...context, watch, feed, client, readFilter, control, now }),
  ];
}

async function deploymentScreens(
  { cloud, chat: own }: AppParts,
  context: ScreenContext,
  chats: ChatPlaces,
): Promise<readonly Screen[]> {
  if (cloud === undefined) return [];
  const { historyFile } = own ?? {};
  const chatWith = async (server: CloudServer, app: AppDocument, token?: string) => {
    await chats.show(`${server.target.profile} ${app.url}`, async () => {
      const backend = await server.openChat(app, token);
      const options = { backend, ...(historyFile !== undefined && { historyFile }) };
      const chat = await ChatScreen.open(options, context);
      return { chat, screen: chat, serverLabel: () => backend.serverLabel() };
    });
    context.frame.open("chat");
  };
  const { cloudScreens } = await import("./cloud-screens.ts");
  return cloudScreens({ cloud, chatWith, ...context });
}
