// What keys ask to be done with the selected model.

import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { readHubCard } from "../../../client/models-hub.ts";
import { describeModel } from "../../../client/models-store.ts";
import type { FrameServices } from "../../frame/screen.ts";
import { cardText } from "./card-text.ts";
import { isActive } from "./download.ts";
import { whyKept } from "./kept-models.ts";
import type { ModelDialogs } from "./model-dialogs.ts";
import type { LocalEntry, ModelEntry } from "./model-entries.ts";
import type { ModelReader } from "./model-reader.ts";
import type { ModelWork } from "./model-work.ts";
import type { ModelsSituation, Outcome, WorkActions } from "./models-actions.ts";

export interface OrderOptions {
  readonly client: () => ApiClient;
  readonly frame: FrameServices;
  readonly reader: ModelReader;
  readonly work: ModelWork;
  readonly dialogs: ModelDialogs;
  readonly situation: () => ModelsSituation;
  readonly isInSight: () => boolean;
}

export class ModelOrders implements WorkActions {
  readonly #options: OrderOptions;

  constructor(options: OrderOptions) {
    this.#options = options;
  }

  enter(): Outcome {
    const entry = this.#options.situation().entry;
    if (entry === undefined) return undefined;
    if (entry.kind === "hub") return this.chooseQuantization();
    this.#options.frame.open("chat", entry.name);
    return undefined;
  }

  toggleLoad(): Outcome {
    const entry = this.#options.situation().entry;
    if (entry === undefined) return undefined;
    const isLoaded = entry.kind === "running" || (entry.kind === "local" && entry.loaded);
    return isLoaded ? this.#options.work.unload(entry.name) : this.#options.work.load(entry.name);
  }

  async pull(reference: string): Promise<string | undefined> {
    const { entry } = this.#options.situation();
    const refusal = await this.#options.dialogs.pull(
      reference,
      entry?.kind === "hub" ? entry.name : "",
    );
    if (refusal !== undefined || this.#options.isInSight()) return refusal;
    return "The download has begun; Alt+2 shows how far it is";
  }

  pauseOrResume(): Outcome {
    const download = downloadIn(this.#options.situation().entry);
    if (download === undefined) return undefined;
    if (!isActive(download)) return this.#options.work.pull(download.name);
    this.#options.work.pause(download.name);
    return undefined;
  }

  cancel(): Outcome {
    const { entry } = this.#options.situation();
    const download = downloadIn(entry);
    if (download !== undefined) return this.#options.work.cancelPull(download.name);
    if (entry !== undefined) this.#options.work.cancelLoad(entry.name);
    return undefined;
  }

  copy(): Outcome {
    return this.#withLocal((name) => this.#options.dialogs.copy(name));
  }

  rename(): Outcome {
    return this.#kept ?? this.#withLocal((name) => this.#options.dialogs.rename(name));
  }

  editModelfile(): Outcome {
    return this.#options.dialogs.editModelfile(this.#local?.model?.name);
  }

  chooseQuantization(): Outcome {
    const { entry } = this.#options.situation();
    return entry === undefined ? undefined : this.#options.dialogs.chooseQuantization(entry.name);
  }

  remove(): Outcome {
    return this.#kept ?? this.#withLocal((name) => this.#options.dialogs.remove(name));
  }

  copyName(): Outcome {
    const { entry } = this.#options.situation();
    return entry === undefined ? undefined : this.#options.frame.copy(entry.name);
  }

  async showCard(): Promise<string | undefined> {
    const { client, frame } = this.#options;
    const { entry } = this.#options.situation();
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
    const download = downloadIn(this.#options.situation().entry);
    if (download?.state === "failed") return this.#options.work.pull(download.name);
    if (this.#options.situation().state.source === "hub") this.#options.reader.searchHub(false);
    await this.#options.reader.refresh();
    this.#options.reader.showCard();
    return undefined;
  }

  /** Why the selected model stays as it is. */
  get #kept(): string | undefined {
    const model = this.#local?.model;
    return model === undefined ? undefined : whyKept(model);
  }

  get #local(): LocalEntry | undefined {
    const { entry } = this.#options.situation();
    return entry?.kind === "local" ? entry : undefined;
  }

  #withLocal(work: (name: string) => Promise<string | undefined>): Outcome {
    const name = this.#local?.model?.name;
    return name === undefined ? undefined : work(name);
  }
}

function downloadIn(entry: ModelEntry | undefined) {
  return entry === undefined || entry.kind === "running" ? undefined : entry.download;
}
