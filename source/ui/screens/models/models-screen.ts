// The models as a screen of the frame: binds state, keys and the server together.

import { formatBytes } from "../../../base/byte-format.ts";
import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { readHubCard } from "../../../client/models-hub.ts";
import { describeModel } from "../../../client/models-store.ts";
import type { EditorState } from "../../editor/editor-state.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  Screen,
  ScreenPicture,
} from "../../frame/screen.ts";
import { fieldAfterText, fieldCommands, fieldWith } from "../../panes/text-field.ts";
import { Store } from "../../state/store.ts";
import type { Glyphs } from "../../theme.ts";
import { cardText } from "./card-text.ts";
import { isActive } from "./download.ts";
import { nextCacheType, nextWindow } from "./memory-estimate.ts";
import { ModelDialogs } from "./model-dialogs.ts";
import { entriesOf, type ModelEntry, selectedEntry, selectedIndex } from "./model-entries.ts";
import { ModelReader } from "./model-reader.ts";
import { ModelWork } from "./model-work.ts";
import {
  type ListStep,
  type ModelsActions,
  type ModelsSituation,
  modelsCommands,
  type Outcome,
} from "./models-commands.ts";
import { lastCardTop, modelsPicture } from "./models-picture.ts";
import {
  createModelsState,
  type ModelsState,
  sortOrders,
  sources,
  withList,
} from "./models-state.ts";
import { spokenFooter, spokenLines } from "./spoken-models.ts";

export interface ModelsScreenContext {
  /** The server to ask now: after a break it may be another. */
  readonly client: () => ApiClient;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
}

export class ModelsScreen implements Screen, ModelsActions {
  readonly id = "models";
  readonly title = "Models";
  readonly #context: ModelsScreenContext;
  readonly #store = new Store(createModelsState());
  readonly #reader: ModelReader;
  readonly #work: ModelWork;
  readonly #dialogs: ModelDialogs;
  readonly #commands: readonly BoundCommand[];
  #situation: ModelsSituation | undefined;
  #isInSight = false;
  #size: BodySize = { columns: 80, rows: 22 };

  constructor(context: ModelsScreenContext) {
    const { client, clock, frame } = context;
    const store = this.#store;
    this.#context = context;
    this.#reader = new ModelReader({ client, store, clock });
    this.#work = new ModelWork({
      client,
      store,
      clock,
      reader: this.#reader,
      notify: (sentence) => frame.notify(sentence),
    });
    this.#dialogs = new ModelDialogs({ client, store, work: this.#work, frame });
    this.#commands = [
      ...modelsCommands(this, () => this.#situated()),
      ...fieldCommands(
        () => this.#state.isTyping,
        (edit) => this.#editFilter(edit),
      ),
    ];
  }

  commands(): readonly BoundCommand[] {
    return this.#commands;
  }

  picture(size: BodySize): ScreenPicture {
    this.#size = size;
    return modelsPicture(this.#state, size, this.#look());
  }

  status(): string {
    const { capacity, downloads, work } = this.#state;
    const active = downloads.filter(isActive).length;
    const free = capacity.value?.diskFreeBytes;
    return [
      work === undefined ? "" : "making a model",
      active === 0 ? "" : `${active} ${active === 1 ? "download" : "downloads"}`,
      free === undefined ? "" : `disk ${formatBytes(free)} free`,
    ]
      .filter((part) => part !== "")
      .join(` ${this.#context.glyphs.separator} `);
  }

  isTyping(): boolean {
    return this.#state.isTyping;
  }

  type(text: string): void {
    this.#editFilter((field) => fieldAfterText(field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  readerLines(): readonly string[] {
    return spokenLines(this.#state);
  }

  readerFooter(): readonly string[] {
    return spokenFooter(this.#state);
  }

  subscribe(listener: () => void): () => void {
    return this.#store.subscribe(listener);
  }

  activate(): void {
    this.#isInSight = true;
    this.#reader.start();
    this.#reader.showCard();
  }

  /** Downloads go on while another screen is in sight. */
  deactivate(): void {
    this.#isInSight = false;
    this.#reader.stop();
  }

  async close(): Promise<void> {
    this.#work.close();
    this.#reader.close();
  }

  move(step: ListStep): void {
    if (this.#state.pane === "card" && !this.#state.isTyping) {
      this.#scrollCard(step);
      return;
    }
    const { source } = this.#state;
    const entries = entriesOf(this.#state, source);
    const at = selectedIndex(this.#state, entries);
    const wanted = stepped(at, step, entries.length - 1, Math.max(1, this.#size.rows - 8));
    const name = entries[Math.min(entries.length - 1, Math.max(0, wanted))]?.entry.name;
    if (name === undefined) return;
    this.#update(withList(this.#state, source, { selected: name }));
    this.#reader.showCard();
  }

  changeSource(step: -1 | 1): void {
    const at = sources.indexOf(this.#state.source) + step;
    const source = sources[(at + sources.length) % sources.length];
    if (source === undefined) return;
    this.#update({ source, pane: "list", cardTop: 0 });
    this.#reader.showCard();
    const { hub } = this.#state;
    const isFirst = hub.value === undefined && hub.waitingSinceMs === undefined;
    if (source === "hub" && isFirst) this.#reader.searchHub(false);
  }

  openFilter(): void {
    this.#update({ isTyping: true, pane: "list" });
  }

  keepFilter(): void {
    this.#update({ isTyping: false });
    this.#reader.showCard();
  }

  back(): void {
    const { pane, isTyping } = this.#state;
    if (pane === "card" && !isTyping) {
      this.#update({ pane: "list" });
      return;
    }
    this.#editFilter((field) => fieldWith(field, ""));
    this.#update({ isTyping: false });
  }

  changePane(): void {
    this.#update({ pane: this.#state.pane === "list" ? "card" : "list" });
  }

  changeSort(): void {
    const { source, lists } = this.#state;
    const orders: readonly string[] = sortOrders[source];
    const at = orders.indexOf(lists[source].sort);
    const sort = orders[(at + 1) % orders.length];
    if (sort === undefined) return;
    this.#update(withList(this.#state, source, { sort }));
    if (source === "hub") this.#reader.searchHub(false);
  }

  changeWindow(step: -1 | 1 | undefined): void {
    const { choice } = this.#state;
    if (step === undefined) {
      this.#update({ choice: { contextLength: undefined, cacheType: undefined } });
      return;
    }
    const estimate = this.#local?.estimate;
    const current = choice.contextLength ?? estimate?.contextLength;
    if (current === undefined) return;
    // Beyond what the model was trained for nothing changes any more.
    const trained = this.#local?.model?.memory?.trainedContextLength ?? 0;
    const contextLength = nextWindow(Math.min(current, trained || current), step);
    this.#update({ choice: { ...choice, contextLength } });
  }

  changeCacheType(): void {
    const { choice } = this.#state;
    const current = this.#local?.estimate?.cacheType ?? "f16";
    this.#update({ choice: { ...choice, cacheType: nextCacheType(current) } });
  }

  enter(): Outcome {
    const entry = this.#situated().entry;
    if (entry === undefined) return undefined;
    if (entry.kind === "hub") return this.chooseQuantization();
    this.#context.frame.open("chat", entry.name);
    return undefined;
  }

  toggleLoad(): Outcome {
    const entry = this.#situated().entry;
    if (entry === undefined) return undefined;
    const isLoaded = entry.kind === "running" || (entry.kind === "local" && entry.loaded);
    return isLoaded ? this.#work.unload(entry.name) : this.#work.load(entry.name);
  }

  async pull(reference: string): Promise<string | undefined> {
    const { entry } = this.#situated();
    const refusal = await this.#dialogs.pull(reference, entry?.kind === "hub" ? entry.name : "");
    if (refusal !== undefined || this.#isInSight) return refusal;
    return "The download has begun; Alt+2 shows how far it is";
  }

  pauseOrResume(): Outcome {
    const download = downloadIn(this.#situated().entry);
    if (download === undefined) return undefined;
    if (!isActive(download)) return this.#work.pull(download.name);
    this.#work.pause(download.name);
    return undefined;
  }

  cancel(): Outcome {
    const { entry } = this.#situated();
    const download = downloadIn(entry);
    if (download !== undefined) return this.#work.cancelPull(download.name);
    if (entry !== undefined) this.#work.cancelLoad(entry.name);
    return undefined;
  }

  copy(): Outcome {
    return this.#withLocal((name) => this.#dialogs.copy(name));
  }

  rename(): Outcome {
    return this.#withLocal((name) => this.#dialogs.rename(name));
  }

  editModelfile(): Outcome {
    return this.#dialogs.editModelfile(this.#local?.model?.name);
  }

  chooseQuantization(): Outcome {
    const { entry } = this.#situated();
    return entry === undefined ? undefined : this.#dialogs.chooseQuantization(entry.name);
  }

  remove(): Outcome {
    return this.#withLocal((name) => this.#dialogs.remove(name));
  }

  copyName(): Outcome {
    const { entry } = this.#situated();
    return entry === undefined ? undefined : this.#context.frame.copy(entry.name);
  }

  async showCard(): Promise<string | undefined> {
    const { client, frame } = this.#context;
    const { entry } = this.#situated();
    if (entry === undefined) return undefined;
    try {
      const text =
        entry.kind === "hub"
          ? await readHubCard(client(), entry.name)
          : cardText(await describeModel(client(), entry.name));
      if (text === "") return `${entry.name} has no card`;
      await frame.page(text);
      return undefined;
    } catch (error) {
      return describeError(error);
    }
  }

  async retry(): Promise<string | undefined> {
    const download = downloadIn(this.#situated().entry);
    if (download?.state === "failed") return this.#work.pull(download.name);
    if (this.#state.source === "hub") this.#reader.searchHub(false);
    await this.#reader.refresh();
    this.#reader.showCard();
    return undefined;
  }

  get #state(): ModelsState {
    return this.#store.get();
  }

  get #local(): Extract<ModelEntry, { kind: "local" }> | undefined {
    const { entry } = this.#situated();
    return entry?.kind === "local" ? entry : undefined;
  }

  /** Worked out once for each state: every command asks for it. */
  #situated(): ModelsSituation {
    const state = this.#state;
    if (this.#situation?.state !== state) {
      this.#situation = { state, entry: selectedEntry(state) };
    }
    return this.#situation;
  }

  #look() {
    return { glyphs: this.#context.glyphs, nowMs: this.#context.clock.wallMs() };
  }

  #update(change: Partial<ModelsState>): void {
    this.#store.update(change);
  }

  #withLocal(work: (name: string) => Promise<string | undefined>): Outcome {
    const name = this.#local?.model?.name;
    return name === undefined ? undefined : work(name);
  }

  #editFilter(edit: (field: EditorState) => EditorState): void {
    const { source, lists } = this.#state;
    const filter = edit(lists[source].filter);
    const isOther = filter.text !== lists[source].filter.text;
    // The best match is the one that is looked at.
    this.#update(
      withList(this.#state, source, { filter, ...(isOther && { selected: undefined }) }),
    );
    if (!isOther) return;
    if (source === "hub") this.#reader.searchHub(true);
    this.#reader.showCard();
  }

  #scrollCard(step: ListStep): void {
    const last = lastCardTop(this.#state, this.#size, this.#look());
    const wanted = stepped(this.#state.cardTop, step, last, Math.max(1, this.#size.rows - 3));
    this.#update({ cardTop: Math.min(last, Math.max(0, wanted)) });
  }
}

function stepped(at: number, step: ListStep, last: number, pageRows: number): number {
  switch (step.kind) {
    case "rows":
      return at + step.delta;
    case "pages":
      return at + step.delta * pageRows;
    case "edge":
      return step.edge === "first" ? 0 : last;
  }
}

function downloadIn(entry: ModelEntry | undefined) {
  return entry === undefined || entry.kind === "running" ? undefined : entry.download;
}
