// The screens behind the tabs, in their order.

import type { SessionHead } from "../../chat/sessions/session.ts";
import { RequestFeed } from "../../client/live/request-feed.ts";
import { ServerWatch } from "../../client/live/server-watch.ts";
import type { Screen, ScreenContext } from "../frame/screen.ts";
import { ChatPlaces } from "../screens/chat/chat-places.tsx";
import { chatScreen } from "../screens/chat/chat-screen.tsx";
import { modelsScreen } from "../screens/models/models-screen.tsx";
import { serverScreen } from "../screens/server/server-screen.tsx";
import type { AppParts } from "./app-options.ts";
import type { DeploymentChats } from "./deployment-chats.ts";

export interface CreatedScreens {
  readonly chat: ChatPlaces;
  readonly screens: readonly Screen[];
  /** Undefined without a server to watch. */
  readonly watch: ServerWatch | undefined;
}

export async function createScreens(
  options: AppParts,
  context: ScreenContext,
): Promise<CreatedScreens> {
  const watch = options.server && new ServerWatch(options.server.client);
  let chat: ChatPlaces | undefined;
  const goElsewhere = async (saved: SessionHead) => (await chat?.goElsewhere(saved)) ?? false;
  const own = options.chat && (await chatScreen({ ...options.chat, goElsewhere }, context, watch));
  chat = new ChatPlaces(own);
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

function serverScreens(
  { server }: AppParts,
  context: ScreenContext,
  watch: ServerWatch | undefined,
): Screen[] {
  if (server === undefined || watch === undefined) return [];
  const feed = new RequestFeed(server.client);
  return [
    modelsScreen({ ...context, client: server.client, findFiles: server.findFiles }),
    serverScreen({ ...context, ...server, watch, feed }),
  ];
}

async function deploymentScreens(
  { cloud, chat: own, kept = own ?? {} }: AppParts,
  context: ScreenContext,
  chats: ChatPlaces,
): Promise<readonly Screen[]> {
  if (cloud === undefined) return [];
  const { historyFile, sessions } = kept;
  const [{ DeploymentChats }, { deployScreen }, { consoleScreen }] = await Promise.all([
    import("./deployment-chats.ts"),
    import("../screens/deploy/deploy-screen.tsx"),
    import("../screens/console/console-screen.tsx"),
  ]);
  const deployments = new DeploymentChats({
    cloud,
    chats,
    context,
    kept: {
      ...(historyFile !== undefined && { historyFile }),
      ...(sessions !== undefined && { sessions }),
    },
  });
  chats.deployments = deployments;
  const chatWith: DeploymentChats["chatWith"] = (...words) => deployments.chatWith(...words);
  return [
    deployScreen({ ...context, cloud, chatWith }),
    consoleScreen({ ...context, cloud, chatWith }),
  ];
}
