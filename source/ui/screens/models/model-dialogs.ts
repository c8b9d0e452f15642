// What needs a question first: names to copy and rename to, what to pull, whether to delete, a
// Modelfile in the editor.

import { formatBytes } from "../../../base/byte-format.ts";
import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { type HubQuantization, listQuantizations } from "../../../client/models-hub.ts";
import { describeModel, planDeletion } from "../../../client/models-store.ts";
import type { Choice, FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../state/store.ts";
import { deletionSentence } from "./card-rows.ts";
import { freeVramBytes } from "./memory-estimate.ts";
import { isSameModel, pullReference, quantizedName, withTag } from "./model-name.ts";
import type { ModelWork } from "./model-work.ts";
import { findDownload, type ModelsState } from "./models-state.ts";

export interface DialogOptions {
  readonly client: () => ApiClient;
  readonly store: Store<ModelsState>;
  readonly work: ModelWork;
  readonly frame: FrameServices;
}

/** Offered where nothing is selected. */
const emptyModelfile = "FROM tiny\n";

export class ModelDialogs {
  readonly #options: DialogOptions;
  /** Modelfiles that could not be made: nothing that was written is lost. */
  readonly #drafts = new Map<string, string>();

  constructor(options: DialogOptions) {
    this.#options = options;
  }

  async pull(typed: string, suggestion: string): Promise<string | undefined> {
    const { frame, work } = this.#options;
    const text = typed !== "" ? typed : await frame.ask("Pull (owner/name:quant)", suggestion);
    if (text === undefined || text.trim() === "") return "Nothing was pulled";
    return work.pull(pullReference(text));
  }

  /** Lists what a repository of the hub offers, and pulls what is chosen. */
  async chooseQuantization(name: string): Promise<string | undefined> {
    const { client, frame, work } = this.#options;
    let offered: HubQuantization[];
    try {
      offered = await listQuantizations(client(), name.replace(/:[^/]*$/, ""));
    } catch (error) {
      return describeError(error);
    }
    if (offered.length === 0) return `${name} holds no whole .gguf model`;
    const usual = offered.filter(({ isDefault }) => isDefault);
    const others = offered.filter(({ isDefault }) => !isDefault);
    const choices = [...usual, ...others].map((offer) => this.#choiceOf(name, offer));
    const chosen = await frame.choose(`Quantizations of ${name}`, choices);
    return chosen === undefined ? undefined : work.pull(quantizedName(name, chosen));
  }

  async copy(name: string): Promise<string | undefined> {
    const { work } = this.#options;
    const destination = await this.#newName(`Copy ${name} to`, `${bare(name)}-copy`, name);
    if (destination === undefined) return undefined;
    return (await work.copy(name, destination)) ?? `${destination} is a copy of ${name}`;
  }

  async rename(name: string): Promise<string | undefined> {
    const { work } = this.#options;
    const destination = await this.#newName(`Rename ${name} to`, bare(name), name);
    if (destination === undefined) return undefined;
    return (await work.rename(name, destination)) ?? `${name} is ${destination} now`;
  }

  async remove(name: string): Promise<string | undefined> {
    const { client, frame, work } = this.#options;
    const plan = planDeletion(client(), name).then(
      deletionSentence,
      // A damaged model can be deleted too; nobody knows what it frees.
      (error: unknown) => describeError(error),
    );
    if (!(await frame.confirm(`Delete ${name}?`, plan))) return undefined;
    return (await work.remove(name)) ?? `${name} is deleted`;
  }

  /** @param name the model to begin with; undefined begins with an empty one */
  async editModelfile(name: string | undefined): Promise<string | undefined> {
    const { client, frame, work } = this.#options;
    const key = name ?? "";
    const draft = this.#drafts.get(key);
    let text: string;
    try {
      text = draft ?? (name === undefined ? emptyModelfile : await modelfileOf(client(), name));
    } catch (error) {
      return describeError(error);
    }
    // A draft that is left as it is may be meant to be tried once more.
    const edited = (await frame.edit(text, "Modelfile")) ?? draft;
    if (edited === undefined) return "Nothing was changed, so nothing was made";
    this.#drafts.set(key, edited);
    const suggestion = name === undefined ? "" : `${bare(name)}-custom`;
    const wanted = await this.#newName("Make it under the name", suggestion, undefined);
    if (wanted === undefined) return "Nothing was made; e opens your text again";
    try {
      await work.create(wanted, edited);
    } catch (error) {
      return `${describeError(error)} e opens your text again`;
    }
    this.#drafts.delete(key);
    return `${wanted} is made`;
  }

  /** @param source a model that may not get its own name */
  async #newName(
    question: string,
    suggestion: string,
    source: string | undefined,
  ): Promise<string | undefined> {
    const { frame, store } = this.#options;
    const typed = (await frame.ask(question, suggestion))?.trim();
    if (typed === undefined || typed === "") return undefined;
    if (source !== undefined && isSameModel(typed, source)) {
      frame.notify(`${source} has that name already`);
      return undefined;
    }
    const taken = store.get().local.value?.find((model) => isSameModel(model.name, typed));
    if (taken === undefined) return typed;
    return (await frame.confirm(`Replace ${taken.name}?`)) ? typed : undefined;
  }

  #choiceOf(name: string, offer: HubQuantization): Choice {
    const { capacity, local, downloads } = this.#options.store.get();
    const full = withTag(quantizedName(name, offer.selector));
    const room = capacity.value;
    const memoryBytes = room && freeVramBytes(room) + room.memory.freeBytes;
    const notes = [
      formatBytes(offer.sizeBytes),
      offer.files > 1 ? `${offer.files} files` : "",
      offer.isDefault ? "usual" : "",
      local.value?.some((model) => isSameModel(model.name, full)) ? "here" : "",
      findDownload(downloads, full) === undefined ? "" : "on its way",
      memoryBytes !== undefined && offer.sizeBytes > memoryBytes ? "more than memory" : "",
      room?.diskFreeBytes !== undefined && offer.sizeBytes > room.diskFreeBytes
        ? "more than disk"
        : "",
    ];
    return {
      value: offer.selector,
      title: offer.selector,
      note: notes.filter((note) => note !== "").join(", "),
    };
  }
}

async function modelfileOf(client: ApiClient, name: string): Promise<string> {
  return (await describeModel(client, name)).modelfile;
}

/** The last part of a name, without its tag. */
function bare(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).replace(/:.*$/, "");
}
