// Messages of a saved chat, and their transcript entries.

import { previewRows } from "../conversation/attach-prompt.ts";
import {
  type DoneCall,
  type EntryImage,
  type EntryStep,
  isStored,
  type TranscriptEntry,
} from "../conversation/transcript-entry.ts";
import type { SessionDoneCall, SessionImage, SessionMessage, SessionStep } from "./session.ts";
import type { SessionStore } from "./session-store.ts";

export class SavedMessages {
  readonly #files: SessionStore["images"];
  /** Images already written; an image is never changed. */
  readonly #images = new WeakMap<EntryImage, SessionImage>();

  /** @param files the bytes of images, by their digests */
  constructor(files: SessionStore["images"]) {
    this.#files = files;
  }

  /** Writes new images. Errors and notices are not saved. */
  async messagesOf(entries: readonly TranscriptEntry[]): Promise<SessionMessage[]> {
    const messages: SessionMessage[] = [];
    for (const entry of entries) {
      const message = await this.#messageOf(entry);
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  async entriesOf(messages: readonly SessionMessage[]): Promise<TranscriptEntry[]> {
    const entries: TranscriptEntry[] = [];
    for (const {
      role,
      content: text,
      images: saved,
      ending: state = "complete",
      ...rest
    } of messages) {
      const { typed, files, thinking, toolCalls, steps, atMs } = rest;
      const id = entries.length;
      if (role === "user") {
        const images = saved && (await Promise.all(saved.map((image) => this.#read(image))));
        entries.push({ kind: "user", id, text, typed, images, files, atMs });
      } else if (role === "assistant") {
        const read = steps && (await Promise.all(steps.map((step) => this.#readStep(step))));
        const said = { thinking, toolCalls, steps: read, atMs };
        entries.push({ kind: "assistant", id, text, state, ...said });
      }
    }
    return entries;
  }

  async #messageOf(entry: TranscriptEntry): Promise<SessionMessage | undefined> {
    if (isStored(entry)) return undefined;
    if (entry.kind === "user") {
      const { text, typed, images, files, atMs } = entry;
      const saved = images && (await Promise.all(images.map((image) => this.#write(image))));
      return { role: "user", content: text, typed, images: saved, files, atMs };
    }
    if (entry.kind !== "assistant") return undefined;
    const { text, state, thinking, toolCalls, steps, atMs } = entry;
    if (state === "running" && text === "" && steps === undefined) return undefined;
    // If the program ends now, the partial answer is saved.
    const ending = state === "running" ? "stopped" : state;
    const saved = steps && (await Promise.all(steps.map((step) => this.#writeStep(step))));
    return { role: "assistant", content: text, thinking, toolCalls, steps: saved, ending, atMs };
  }

  async #writeStep({ text, calls }: EntryStep): Promise<SessionStep> {
    const write = async ({ images, ...call }: DoneCall): Promise<SessionDoneCall> =>
      images === undefined
        ? call
        : { ...call, images: await Promise.all(images.map((image) => this.#write(image))) };
    return { text, calls: await Promise.all(calls.map(write)) };
  }

  async #readStep({ text, calls }: SessionStep): Promise<EntryStep> {
    const read = async ({ images, ...call }: SessionDoneCall): Promise<DoneCall> =>
      images === undefined
        ? call
        : { ...call, images: await Promise.all(images.map((image) => this.#read(image))) };
    return { text, calls: await Promise.all(calls.map(read)) };
  }

  async #write(image: EntryImage): Promise<SessionImage> {
    const known = this.#images.get(image);
    if (known !== undefined) return known;
    const { name, width, height, tokens, base64 } = image;
    const digest = await this.#files.add(base64);
    const saved = { name, digest, width, height, tokens };
    this.#images.set(image, saved);
    return saved;
  }

  async #read(saved: SessionImage): Promise<EntryImage> {
    const { name, width, height, tokens, digest } = saved;
    const base64 = (await this.#files.read(digest)) ?? "";
    const preview = await previewRows(base64);
    const image: EntryImage = { name, width, height, base64, preview, tokens };
    // An image with a missing file keeps its position and is not written again.
    this.#images.set(image, saved);
    return image;
  }
}
