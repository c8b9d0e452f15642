// The models screen: installed models, models of the hub, loaded models.

import { Box } from "ink";
import { memo, type ReactElement } from "react";
import { formatBytes } from "../../../base/formats.ts";
import { plural, tokenCount } from "../../../base/quantities.ts";
import { Store } from "../../../base/store.ts";
import { isActive } from "../../../client/download.ts";
import { TextLine } from "../../components/line.tsx";
import { screenInput } from "../../frame/command-table.ts";
import type { BodySize, Screen } from "../../frame/screen.ts";
import { type Readable, useStore } from "../../hooks/use-store.ts";
import { glyphs } from "../../theme.ts";
import { editFilter, type ModelsContext } from "./list-actions.ts";
import { ModelCard } from "./model-card.tsx";
import { type ModelEntry, selectedEntry } from "./model-entries.ts";
import { ModelList } from "./model-list.tsx";
import { modelsCommands } from "./models-commands.ts";
import { ModelsFeed } from "./models-feed.ts";
import { spokenModels } from "./models-speech.ts";
import { createModelsState, type FoundFile, type ModelsState } from "./models-state.ts";

/** Minimum width that shows the card next to the list. */
const twoPanesFrom = 100;
/** From this width on, a narrow window has a line about the selected model. */
const summaryFrom = 80;
const listShare = 0.6;

export interface ModelsScreenOptions extends Pick<ModelsContext, "client" | "clock" | "frame"> {
  /** Looks for model files on this machine; undefined if the user forbids it. */
  readonly findFiles?: (() => Promise<readonly FoundFile[]>) | undefined;
}

export function modelsScreen(options: ModelsScreenOptions): Screen {
  const { client, clock, frame, findFiles } = options;
  const store = new Store(createModelsState());
  const feed = new ModelsFeed({ client, store, clock, findFiles });
  const closing = new AbortController();
  const context: ModelsContext = {
    client,
    clock,
    frame,
    store,
    feed,
    lastCardTop: 0,
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
    context.lastCardTop = lastTop;
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
    status: () => statusText(store.get()),
    spoken: () => spokenModels(store.get()),
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

function statusText({ capacity, downloads, work }: ModelsState): string {
  const active = downloads.filter(isActive).length;
  const freeBytes = capacity.value?.diskFreeBytes;
  const parts = [
    work !== undefined && "creating a model",
    active > 0 && plural(active, "download"),
    freeBytes !== undefined && `disk ${formatBytes(freeBytes)} free`,
  ];
  return parts.filter(Boolean).join(` ${glyphs.separator} `);
}

export interface ModelsViewProps extends BodySize {
  readonly store: Readable<ModelsState>;
  /** Called with the last row that the card scrolls to. */
  readonly onCardExtent: (lastTop: number) => void;
}

export function ModelsView(props: ModelsViewProps): ReactElement {
  const { store, onCardExtent, columns, rows } = props;
  const state = useStore(store, (all) => all);
  const entry = selectedEntry(state);
  const card = { state, entry, height: rows, onExtent: onCardExtent };
  if (columns >= twoPanesFrom) {
    const listWidth = Math.floor(columns * listShare);
    return (
      <Box>
        <ModelList state={state} width={listWidth} height={rows} hasCard />
        <ModelCard {...card} width={columns - listWidth} />
      </Box>
    );
  }
  if (state.pane === "card") return <ModelCard {...card} width={columns} />;
  const hasSummary = columns >= summaryFrom && entry !== undefined;
  return (
    <Box flexDirection="column">
      <ModelList state={state} width={columns} height={rows - (hasSummary ? 1 : 0)} />
      {hasSummary && <Summary entry={entry} width={columns} />}
    </Box>
  );
}

/** The selected model in one line, where its card is hidden. */
function Summary({ entry, width }: { entry: ModelEntry; width: number }): ReactElement {
  const text = ` ${[...summaryFacts(entry), "Tab card"].filter(Boolean).join(` ${glyphs.separator} `)}`;
  return <TextLine text={text} tone="dim" width={width} />;
}

function summaryFacts(entry: ModelEntry): readonly (string | undefined)[] {
  if (entry.kind === "hub") return [entry.model.architecture];
  if (entry.kind === "running") return [];
  const { model, estimate } = entry;
  const memory = estimate && `${tokenCount(estimate.contextLength)} context, ${estimate.cacheType}`;
  return [model?.family, model?.parameterSize, memory];
}
