// Context of the Models screen's actions.

import type { Clock } from "../../../base/clock.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../hooks/store.ts";
import type { ModelEntry } from "./model-entries.ts";
import type { ModelsFeed } from "./models-feed.ts";
import type { ModelsState } from "./models-state.ts";

export interface ModelsContext {
  /** The current server: it may change after a disconnect. */
  readonly client: () => ApiClient;
  readonly clock: Clock;
  readonly frame: FrameServices;
  readonly store: Store<ModelsState>;
  readonly feed: ModelsFeed;
  readonly state: ModelsState;
  /** The selected one. */
  readonly entry: ModelEntry | undefined;
  /** The last row that the drawn card scrolls to. */
  readonly lastCardTop: { current: number };
  /** Running loads and pulls, by the model's name with its tag. */
  readonly loads: Map<string, AbortController>;
  readonly pulls: Map<string, AbortController>;
  /** Modelfiles whose creation failed or was cancelled, by the model that they began with. */
  readonly drafts: Map<string, string>;
  /** Aborts when the program ends. */
  readonly closing: AbortSignal;
}

/** The message of an action; undefined where the screen shows it. */
export type ActionMessage = Promise<string | undefined>;
