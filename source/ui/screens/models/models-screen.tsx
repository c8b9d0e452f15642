// The models screen: the models of this machine, those of the hub, and those that are loaded.

import { type ComponentType, memo } from "react";
import { formatBytes } from "../../../base/byte-format.ts";
import { fieldAfterText } from "../../editor/line-field.ts";
import { bindCommands } from "../../frame/command-table.ts";
import { fieldCommands } from "../../frame/field-commands.ts";
import type { BodySize, BoundCommand, Screen } from "../../frame/screen.ts";
import { Store } from "../../hooks/store.ts";
import { joinParts } from "../../text/join-parts.ts";
import type { Glyphs } from "../../theme.ts";
import { isActive } from "./download.ts";
import { editFilter } from "./list-actions.ts";
import { selectedEntry } from "./model-entries.ts";
import { modelsCommands } from "./models-commands.ts";
import type { ModelsContext } from "./models-context.ts";
import { ModelsFeed } from "./models-feed.ts";
import { createModelsState } from "./models-state.ts";
import { ModelsView } from "./models-view.tsx";

export interface ModelsScreenOptions extends Pick<ModelsContext, "client" | "clock" | "frame"> {
  readonly glyphs: Glyphs;
}

export class ModelsScreen implements Screen {
  readonly id = "models";
  readonly title = "Models";
  readonly Body: ComponentType<BodySize>;
  readonly #glyphs: Glyphs;
  readonly #context: ModelsContext;
  readonly #commands: readonly BoundCommand[];
  readonly #closing = new AbortController();

  constructor({ client, glyphs, clock, frame }: ModelsScreenOptions) {
    const store = new Store(createModelsState());
    const lastCardTop = { current: 0 };
    const context: ModelsContext = {
      client,
      clock,
      frame,
      store,
      feed: new ModelsFeed({ client, store, clock }),
      lastCardTop,
      loads: new Map(),
      pulls: new Map(),
      drafts: new Map(),
      closing: this.#closing.signal,
      get state() {
        return store.get();
      },
      get entry() {
        return selectedEntry(store.get());
      },
    };
    this.#glyphs = glyphs;
    this.#context = context;
    this.#commands = [
      ...bindCommands(modelsCommands, context),
      ...fieldCommands(
        () => context.state.isTyping,
        (edit) => editFilter(context, edit),
      ),
    ];
    const onCardExtent = (lastTop: number) => {
      lastCardTop.current = lastTop;
    };
    this.Body = memo(function ModelsScreenBody(size: BodySize) {
      return <ModelsView {...size} store={store} onCardExtent={onCardExtent} />;
    });
  }

  commands(): readonly BoundCommand[] {
    return this.#commands;
  }

  status(): string {
    const { capacity, downloads, work } = this.#context.state;
    const active = downloads.filter(isActive).length;
    const freeBytes = capacity.value?.diskFreeBytes;
    const parts = [
      work !== undefined && "making a model",
      active > 0 && `${active} ${active === 1 ? "download" : "downloads"}`,
      freeBytes !== undefined && `disk ${formatBytes(freeBytes)} free`,
    ];
    return joinParts(parts, ` ${this.#glyphs.separator} `);
  }

  isTyping(): boolean {
    return this.#context.state.isTyping;
  }

  type(text: string): void {
    editFilter(this.#context, (field) => fieldAfterText(field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  subscribe(listener: () => void): () => void {
    return this.#context.store.subscribe(listener);
  }

  activate(): void {
    this.#context.feed.start();
  }

  /** Downloads and loads go on. */
  deactivate(): void {
    this.#context.feed.stop();
  }

  async close(): Promise<void> {
    const { feed, loads, pulls } = this.#context;
    this.#closing.abort();
    for (const controller of [...loads.values(), ...pulls.values()]) controller.abort();
    feed.close();
  }
}
