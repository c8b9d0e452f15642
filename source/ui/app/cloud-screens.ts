// The screens for deployments, and the way from them to a chat.

import type { Clock } from "../../base/clock.ts";
import type { AppDocument } from "../../cloud/admin/documents.ts";
import type { FrameServices, Screen } from "../frame/screen.ts";
import type { CloudAccess, CloudServer } from "../screens/cloud-access.ts";
import { ConsoleScreen } from "../screens/console/console-screen.tsx";
import { DeployScreen } from "../screens/deploy/deploy-screen.tsx";
import type { Glyphs } from "../theme.ts";

/** What every screen for deployments is given. */
export interface CloudScreenContext {
  readonly cloud: CloudAccess;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
  /** Opens the chat screen on a deployment. @param token undefined: one that fits is found or made */
  readonly chatWith: (server: CloudServer, app: AppDocument, token?: string) => Promise<void>;
}

export function cloudScreens(context: CloudScreenContext): readonly Screen[] {
  return [new DeployScreen(context), new ConsoleScreen(context)];
}
