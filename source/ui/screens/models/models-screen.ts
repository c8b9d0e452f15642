// The models as a screen of the frame: binds state, keys and the server together.

import { formatBytes } from "../../../base/byte-format.ts";
import type { Clock } from "../../../base/clock.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  PaintedScreen,
  ScreenPicture,
} from "../../frame/screen.ts";
import { fieldAfterText, fieldCommands } from "../../panes/text-field.ts";
import { Store } from "../../state/store.ts";
import type { Glyphs } from "../../theme.ts";
import { isActive } from "./download.ts";
import { ListNavigation } from "./list-navigation.ts";
import { ModelDialogs } from "./model-dialogs.ts";
import { selectedEntry } from "./model-entries.ts";
import { ModelOrders } from "./model-orders.ts";
import { ModelReader } from "./model-reader.ts";
import { ModelWork } from "./model-work.ts";
import type { ModelsSituation } from "./models-actions.ts";
import { modelsCommands } from "./models-commands.ts";
import { modelsPicture, type PictureLook } from "./models-picture.ts";
import { createModelsState, type ModelsState } from "./models-state.ts";
import { spokenFooter, spokenLines } from "./spoken-models.ts";

export interface ModelsScreenContext {
  /** The server to ask now: after a break it may be another. */
  readonly client: () => ApiClient;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
}

export class ModelsScreen implements PaintedScreen {
  readonly id = "models";
  readonly title = "Models";
  readonly #context: ModelsScreenContext;
  readonly #store = new Store(createModelsState());
  readonly #reader: ModelReader;
  readonly #work: ModelWork;
  readonly #navigation: ListNavigation;
  readonly #commands: readonly BoundCommand[];
  #situation: ModelsSituation | undefined;
  #isInSight = false;
  #size: BodySize = { columns: 80, rows: 22 };

  constructor(context: ModelsScreenContext) {
    const { client, clock, frame } = context;
    const store = this.#store;
    const situation = () => this.#situated();
    const reader = new ModelReader({ client, store, clock });
    const notify = (sentence: string) => frame.notify(sentence);
    const work = new ModelWork({ client, store, clock, reader, notify });
    const dialogs = new ModelDialogs({ client, store, work, frame });
    const isInSight = () => this.#isInSight;
    this.#context = context;
    this.#reader = reader;
    this.#work = work;
    this.#navigation = new ListNavigation({
      store,
      reader,
      situation,
      size: () => this.#size,
      look: () => this.#look(),
    });
    const orders = new ModelOrders({ client, frame, reader, work, dialogs, situation, isInSight });
    this.#commands = [
      ...modelsCommands({ view: this.#navigation, work: orders }, situation),
      ...fieldCommands(
        () => this.#state.isTyping,
        (edit) => this.#navigation.editFilter(edit),
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
    this.#navigation.editFilter((field) => fieldAfterText(field, text));
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

  get #state(): ModelsState {
    return this.#store.get();
  }

  /** Worked out once for each state: every command asks for it. */
  #situated(): ModelsSituation {
    const state = this.#state;
    if (this.#situation?.state !== state) {
      this.#situation = { state, entry: selectedEntry(state) };
    }
    return this.#situation;
  }

  #look(): PictureLook {
    return { glyphs: this.#context.glyphs, nowMs: this.#context.clock.wallMs() };
  }
}
