// Everything that the parts of the deploy screen share.

import type { Clock } from "../../../base/clock.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../state/store.ts";
import type { Glyphs } from "../../theme.ts";
import type { CloudAccess, CloudServer } from "../cloud-access.ts";
import type { DeployState } from "./deploy-state.ts";
import type { PageContext } from "./pages.ts";

/** Services that the screen is given. */
export interface DeployServices {
  readonly cloud: CloudAccess;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
  /** Opens the chat screen on a deployment. @param token undefined: one that fits is found or made */
  readonly chatWith: (server: CloudServer, app: AppDocument, token?: string) => Promise<void>;
}

export interface DeployContext extends DeployServices {
  readonly store: Store<DeployState>;
  /** Where scripts are looked for; relative paths start from it. */
  readonly folder: string;
  readonly page: () => PageContext;
}
