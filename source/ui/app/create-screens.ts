// The screens behind the tabs, in their order.

import type { Clock } from "../../base/clock.ts";
import type { FrameServices, Screen } from "../frame/screen.ts";
import { besideLivePane } from "../live/beside-live-pane.ts";
import { RequestFeed } from "../live/request-feed.ts";
import { ServerWatch } from "../live/server-watch.ts";
import { ChatScreen } from "../screens/chat/chat-screen.ts";
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
  readonly chat: ChatScreen;
  readonly screens: readonly Screen[];
  /** Undefined where there is no server to watch. */
  readonly watch: ServerWatch | undefined;
}

export async function createScreens(
  options: AppParts,
  context: ScreenContext,
): Promise<CreatedScreens> {
  const chat = await ChatScreen.open(options.chat, context);
  if (options.server === undefined) return { chat, screens: [chat], watch: undefined };
  const { client, readFilter, control } = options.server;
  const now = () => context.clock.wallMs();
  const watch = new ServerWatch({ client, now });
  const feed = new RequestFeed({ client, now });
  const figures = () => chat.figures();
  const screens = [
    besideLivePane(chat, { watch, figures, glyphs: context.glyphs, now }),
    new ModelsScreen({ ...context, client }),
    new ServerScreen({ ...context, watch, feed, client, readFilter, control, now }),
  ];
  return { chat, screens, watch };
}
