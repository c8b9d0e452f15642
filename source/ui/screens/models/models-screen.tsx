// The models screen: installed models, models of the hub, loaded models.

import { memo } from "react";
import { formatBytes } from "../../../base/formats.ts";
import { screenInput } from "../../frame/command-table.ts";
import type { BodySize, Screen } from "../../frame/screen.ts";
import { Store } from "../../hooks/store.ts";
import { plural } from "../../text/quantities.ts";
import type { Glyphs } from "../../theme.ts";
import { isActive } from "./download.ts";
import { editFilter } from "./list-actions.ts";
import { selectedEntry } from "./model-entries.ts";
import { modelsCommands } from "./models-commands.ts";
import type { ModelsContext } from "./models-context.ts";
import { ModelsFeed } from "./models-feed.ts";
import { createModelsState, type ModelsState } from "./models-state.ts";
import { ModelsView } from "./models-view.tsx";

export interface ModelsScreenOptions extends Pick<ModelsContext, "client" | "clock" | "frame"> {
  readonly glyphs: Glyphs;
}

export function modelsScreen({ client, glyphs, clock, frame }: ModelsScreenOptions): Screen {
  const store = new Store(createModelsState());
  const feed = new ModelsFeed({ client, store, clock });
  const closing = new AbortController();
  const context: ModelsContext = {
    client,
    clock,
    frame,
    store,
    feed,
    lastCardTop: { current: 0 },
    loads: new Map(),
    pulls: new Map(),
    drafts: new Map(),
    closing: closing.signal,
    get state() {
      return store.get();
    },
    get entry() {
      return selectedEntry(store.get());
    },
  };
  const onCardExtent = (lastTop: number) => {
    context.lastCardTop.current = lastTop;
  };
  return {
    id: "models",
    title: "Models",
    Body: memo((size: BodySize) => (
      <ModelsView {...size} store={store} onCardExtent={onCardExtent} />
    )),
    ...screenInput(modelsCommands, context, {
      isTyping: () => store.get().isTyping,
      edit: (change) => editFilter(context, change),
    }),
    status: () => statusText(store.get(), glyphs),
    subscribe: store.subscribe,
    activate: () => feed.start(),
    // Downloads and loads continue.
    deactivate: () => feed.stop(),
    close: async () => {
      closing.abort();
      for (const controller of [...context.loads.values(), ...context.pulls.values()]) {
        controller.abort();
      }
      feed.close();
    },
  };
}

function statusText({ capacity, downloads, work }: ModelsState, { separator }: Glyphs): string {
  const active = downloads.filter(isActive).length;
  const freeBytes = capacity.value?.diskFreeBytes;
  const parts = [
    work !== undefined && "creating a model",
    active > 0 && plural(active, "download"),
    freeBytes !== undefined && `disk ${formatBytes(freeBytes)} free`,
  ];
  return parts.filter(Boolean).join(` ${separator} `);
}
