// Downloads of models: which one to pull, and pulling, pausing and cancelling it.

import { formatBytes } from "../../../base/byte-format.ts";
import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { pullOnServer } from "../../../client/model-calls.ts";
import { type HubQuantization, listQuantizations } from "../../../client/models-hub.ts";
import type { Choice, FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../hooks/store.ts";
import {
  type Download,
  failDownload,
  isActive,
  noteRecord,
  pauseDownload,
  resumeDownload,
  startDownload,
} from "./download.ts";
import { freeVramBytes } from "./estimate.ts";
import { downloadOf, selectedEntry } from "./model-entries.ts";
import { isSameModel, pullReference, quantizedName, withTag } from "./model-name.ts";
import type { ModelsFeed } from "./models-feed.ts";
import { findDownload, type ModelsState, withDownload, withList } from "./models-state.ts";

export interface PullActionsOptions {
  /** The server to ask now: after a break it may be another. */
  readonly client: () => ApiClient;
  readonly store: Store<ModelsState>;
  readonly clock: Clock;
  readonly frame: FrameServices;
  readonly feed: ModelsFeed;
}

/** Actions return a sentence when there is something to say. */
export class PullActions {
  readonly #options: PullActionsOptions;
  /** Pulls that run, by the model's name with its tag. */
  readonly #running = new Map<string, AbortController>();

  constructor(options: PullActionsOptions) {
    this.#options = options;
  }

  /** @param typed a name; empty asks for one */
  async pull(typed: string): Promise<string | undefined> {
    const { frame, feed } = this.#options;
    const entry = selectedEntry(this.#state);
    const suggestion = entry?.kind === "hub" ? entry.name : "";
    const text = typed !== "" ? typed : await frame.ask("Pull (owner/name:quant)", suggestion);
    if (text === undefined || text.trim() === "") return "Nothing was pulled";
    const refusal = this.#start(pullReference(text));
    if (refusal !== undefined || feed.isRunning) return refusal;
    return "The download has begun; Alt+2 shows how far it is";
  }

  /** Lists the quantizations of the selected model's repository, and pulls the chosen one. */
  async chooseQuantization(): Promise<string | undefined> {
    const { client, frame } = this.#options;
    const name = selectedEntry(this.#state)?.name;
    if (name === undefined) return undefined;
    const repository = name.replace(/:[^/]*$/, "");
    let offered: readonly HubQuantization[];
    try {
      offered = await listQuantizations(client(), repository);
    } catch (error) {
      return describeError(error);
    }
    if (offered.length === 0) return `${name} holds no whole .gguf model`;
    const choices = offered
      .toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault))
      .map((quantization) => this.#choiceFor(name, quantization));
    const chosen = await frame.choose(`Quantizations of ${name}`, choices);
    return chosen === undefined ? undefined : this.#start(quantizedName(name, chosen));
  }

  /** Pauses the selected download, or goes on with one that is paused or has failed. */
  pauseOrResume(): string | undefined {
    const download = this.#selected;
    if (download === undefined) return undefined;
    const { name } = download;
    if (!isActive(download)) return this.#start(name);
    this.#change(name, (known) => known && pauseDownload(known));
    this.#stop(name);
    return undefined;
  }

  cancel(): string | undefined {
    const name = this.#selected?.name;
    if (name === undefined) return undefined;
    this.#change(name, () => undefined);
    this.#stop(name);
    return `${name} is off the list; what was fetched is kept for two weeks, p goes on from there`;
  }

  /** Stops the downloads where they are. */
  close(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  get #state(): ModelsState {
    return this.#options.store.get();
  }

  get #selected(): Download | undefined {
    return downloadOf(selectedEntry(this.#state));
  }

  /** Begins or resumes a download, and selects it. @returns why it does not begin */
  #start(reference: string): string | undefined {
    const name = withTag(reference);
    const known = findDownload(this.#state.downloads, name);
    if (known !== undefined && isActive(known)) return `${name} is being downloaded already`;
    this.#change(name, (download) =>
      download === undefined ? startDownload(name) : resumeDownload(download),
    );
    this.#options.store.update(withList(this.#state, "local", { selected: name }));
    void this.#run(name);
    return undefined;
  }

  /** Tells the end in a notice: another screen may be in front by then. */
  async #run(name: string): Promise<void> {
    const { client, clock, feed, frame } = this.#options;
    const controller = new AbortController();
    this.#running.set(name, controller);
    try {
      await pullOnServer(client(), name, {
        signal: controller.signal,
        onProgress: (record) => {
          if (controller.signal.aborted) return;
          const nowMs = clock.wallMs();
          this.#change(name, (download) => download && noteRecord(download, record, nowMs));
        },
      });
      feed.forgetCards();
      await feed.refresh();
      this.#change(name, () => undefined);
      frame.notify(`${name} is here`);
    } catch (error) {
      if (controller.signal.aborted) return;
      const sentence = describeError(error);
      this.#change(name, (download) => download && failDownload(download, sentence));
      frame.notify(`The download of ${name} failed: ${sentence}`);
    } finally {
      if (this.#running.get(name) === controller) this.#running.delete(name);
    }
  }

  #stop(name: string): void {
    const key = withTag(name);
    this.#running.get(key)?.abort();
    this.#running.delete(key);
  }

  #change(name: string, change: Parameters<typeof withDownload>[2]): void {
    const downloads = withDownload(this.#state.downloads, name, change);
    this.#options.store.update({ downloads });
  }

  #choiceFor(name: string, quantization: HubQuantization): Choice {
    const { capacity, local, downloads } = this.#state;
    const { selector, sizeBytes, files, isDefault } = quantization;
    const reference = withTag(quantizedName(name, selector));
    const isHere = local.value?.some((model) => isSameModel(model.name, reference)) ?? false;
    const room = capacity.value;
    const memoryBytes = room && freeVramBytes(room) + room.memory.freeBytes;
    const notes = [
      formatBytes(sizeBytes),
      files > 1 ? `${files} files` : "",
      isDefault ? "usual" : "",
      isHere ? "here" : "",
      findDownload(downloads, reference) === undefined ? "" : "on its way",
      sizeBytes > (memoryBytes ?? Infinity) ? "more than memory" : "",
      sizeBytes > (room?.diskFreeBytes ?? Infinity) ? "more than disk" : "",
    ];
    return {
      value: selector,
      title: selector,
      note: notes.filter((note) => note !== "").join(", "),
    };
  }
}
