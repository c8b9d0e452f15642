// The models screen: the models of this machine, those of the hub, and those that are loaded.

import { memo } from "react";
import { formatBytes } from "../../../base/byte-format.ts";
import type { Clock } from "../../../base/clock.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { fieldAfterText } from "../../editor/line-field.ts";
import { fieldCommands } from "../../frame/field-commands.ts";
import type { BodySize, BoundCommand, FrameServices, Screen } from "../../frame/screen.ts";
import { Store } from "../../hooks/store.ts";
import type { Glyphs } from "../../theme.ts";
import { isActive } from "./download.ts";
import { ListActions } from "./list-actions.ts";
import { ModelActions } from "./model-actions.ts";
import { selectedEntry } from "./model-entries.ts";
import { modelsCommands } from "./models-commands.ts";
import { ModelsFeed } from "./models-feed.ts";
import { createModelsState } from "./models-state.ts";
import { ModelsView } from "./models-view.tsx";
import { PullActions } from "./pull-actions.ts";

export interface ModelsScreenContext {
  /** The server to ask now: after a break it may be another. */
  readonly client: () => ApiClient;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
}

export class ModelsScreen implements Screen {
  readonly id = "models";
  readonly title = "Models";
  readonly #glyphs: Glyphs;
  readonly #store = new Store(createModelsState());
  readonly #feed: ModelsFeed;
  readonly #list: ListActions;
  readonly #models: ModelActions;
  readonly #pulls: PullActions;
  readonly #commands: readonly BoundCommand[];

  readonly Body = memo((size: BodySize) => (
    <ModelsView {...size} store={this.#store} onCardExtent={this.#list.setCardExtent} />
  ));

  constructor({ client, glyphs, clock, frame }: ModelsScreenContext) {
    const store = this.#store;
    const feed = new ModelsFeed({ client, store, clock });
    const list = new ListActions({ store, feed, frame });
    const models = new ModelActions({ client, store, frame, feed });
    const pulls = new PullActions({ client, store, clock, frame, feed });
    this.#glyphs = glyphs;
    this.#feed = feed;
    this.#list = list;
    this.#models = models;
    this.#pulls = pulls;
    this.#commands = [
      ...modelsCommands({ list, models, pulls }, () => {
        const state = store.get();
        return { state, entry: selectedEntry(state) };
      }),
      ...fieldCommands(
        () => store.get().isTyping,
        (edit) => list.editFilter(edit),
      ),
    ];
  }

  commands(): readonly BoundCommand[] {
    return this.#commands;
  }

  status(): string {
    const { capacity, downloads, work } = this.#store.get();
    const active = downloads.filter(isActive).length;
    const freeBytes = capacity.value?.diskFreeBytes;
    return [
      ...(work === undefined ? [] : ["making a model"]),
      ...(active === 0 ? [] : [`${active} ${active === 1 ? "download" : "downloads"}`]),
      ...(freeBytes === undefined ? [] : [`disk ${formatBytes(freeBytes)} free`]),
    ].join(` ${this.#glyphs.separator} `);
  }

  isTyping(): boolean {
    return this.#store.get().isTyping;
  }

  type(text: string): void {
    this.#list.editFilter((field) => fieldAfterText(field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  subscribe(listener: () => void): () => void {
    return this.#store.subscribe(listener);
  }

  activate(): void {
    this.#feed.start();
  }

  /** Downloads and loads go on. */
  deactivate(): void {
    this.#feed.stop();
  }

  async close(): Promise<void> {
    this.#models.close();
    this.#pulls.close();
    this.#feed.close();
  }
}
