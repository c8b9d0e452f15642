// Actions on downloads: choose, pull, pause, resume, cancel.

import { shownModel } from "../../../base/display-text.ts";
import { formatBytes } from "../../../base/formats.ts";
import { describeError } from "../../../base/product-error.ts";
import {
  addProgress,
  type Download,
  failDownload,
  isActive,
  pauseDownload,
  resumeDownload,
  startDownload,
} from "../../../client/download.ts";
import { freeVramBytes } from "../../../client/memory-estimate.ts";
import { pullOnServer } from "../../../client/model-calls.ts";
import { type HubQuantization, listQuantizations } from "../../../client/models-hub.ts";
import type { Choice } from "../../frame/screen.ts";
import type { ModelsContext } from "./list-actions.ts";
import { downloadOf } from "./model-entries.ts";
import { isSameModel, nameKey, pullReference, quantizedName } from "./model-name.ts";
import { findDownload, type ModelsState, modelNamed, withList } from "./models-state.ts";

/** @param typed a name; empty asks for one */
export async function pull(context: ModelsContext, typed: string): Promise<string | undefined> {
  const { frame, feed, entry } = context;
  const suggestion = entry?.kind === "hub" ? entry.name : "";
  const check = (name: string) => nameProblem(context, name);
  const text = typed || (await frame.ask("Pull (owner/name:quant)", suggestion, check));
  if (text === undefined) return "Pull cancelled";
  const refusal = start(context, pullReference(text));
  if (refusal !== undefined || feed.isRunning) return refusal;
  return "Download started; Alt+2 shows progress";
}

/** Reason why a typed name cannot be pulled. */
function nameProblem({ state }: ModelsContext, typed: string): string | undefined {
  const name = typed.trim();
  if (name === "") return "Type a name such as owner/name:Q4_K_M; Esc cancels.";
  if (/\s/.test(name)) return "Model names cannot contain spaces.";
  const known = findDownload(state.downloads, shownModel(pullReference(name)));
  return known !== undefined && isActive(known)
    ? `${known.name} is already downloading.`
    : undefined;
}

/** Lists the quantizations of the selected model's repository, and pulls the chosen one. */
export async function chooseQuantization(context: ModelsContext): Promise<string | undefined> {
  const { client, frame, entry } = context;
  if (entry === undefined) return undefined;
  const { name } = entry;
  const offered = await listQuantizations(client(), name.replace(/:[^/]*$/, ""));
  if (offered.length === 0) return `${name} has no complete .gguf model`;
  const choices = offered
    .toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault))
    .map((quantization) => choiceFor(name, quantization, context.state));
  const chosen = await frame.choose(`Quantizations of ${name}`, choices);
  return chosen === undefined ? undefined : start(context, quantizedName(name, chosen));
}

/** Pauses the selected download, or resumes one that is paused or has failed. */
export function pauseOrResume(context: ModelsContext): string | undefined {
  const download = downloadOf(context.entry);
  if (download === undefined) return undefined;
  if (!isActive(download)) return start(context, download.name);
  change(context, download.name, (known) => known && pauseDownload(known));
  stop(context, download.name);
  return undefined;
}

export function cancel(context: ModelsContext): string | undefined {
  const name = downloadOf(context.entry)?.name;
  if (name === undefined) return undefined;
  change(context, name, () => undefined);
  stop(context, name);
  return `Cancelled ${name}; the partial file is kept for two weeks, p resumes it`;
}

/** Begins or resumes a download, and selects it. @returns the reason if it cannot start */
function start(context: ModelsContext, reference: string): string | undefined {
  const name = shownModel(reference);
  const known = findDownload(context.state.downloads, name);
  if (known !== undefined && isActive(known)) return `${name} is already downloading`;
  change(context, name, (download) =>
    download === undefined ? startDownload(name) : resumeDownload(download),
  );
  context.store.update(withList(context.state, "local", { selected: modelNamed(name) }));
  void run(context, name);
  return undefined;
}

/** Reports the end in a notice: another screen may be shown by then. */
async function run(context: ModelsContext, name: string): Promise<void> {
  const { client, clock, feed, frame, pulls } = context;
  const controller = new AbortController();
  const key = nameKey(name);
  pulls.set(key, controller);
  try {
    await pullOnServer(client(), name, {
      signal: controller.signal,
      onProgress: (record) => {
        if (controller.signal.aborted) return;
        const nowMs = clock.wallMs();
        change(context, name, (download) => download && addProgress(download, record, nowMs));
      },
    });
    feed.forgetCards();
    await feed.refresh();
    change(context, name, () => undefined);
    frame.notify(`Downloaded ${name}`);
  } catch (error) {
    if (controller.signal.aborted) return;
    const sentence = describeError(error);
    change(context, name, (download) => download && failDownload(download, sentence));
    // The screen shows the reason itself while it is open.
    frame.notify(`Download of ${name} failed${feed.isRunning ? "" : `: ${sentence}`}`);
  } finally {
    if (pulls.get(key) === controller) pulls.delete(key);
  }
}

function stop({ pulls }: ModelsContext, name: string): void {
  pulls.get(nameKey(name))?.abort();
}

/** Replaces or adds a download; undefined removes it. */
function change(
  { store, state: { downloads } }: ModelsContext,
  name: string,
  update: (download: Download | undefined) => Download | undefined,
): void {
  const known = findDownload(downloads, name);
  const changed = update(known);
  const at = known === undefined ? downloads.length : downloads.indexOf(known);
  store.update({ downloads: downloads.toSpliced(at, 1, ...(changed ? [changed] : [])) });
}

function choiceFor(name: string, quantization: HubQuantization, state: ModelsState): Choice {
  const { capacity, local, downloads } = state;
  const { selector, sizeBytes, files, isDefault } = quantization;
  const reference = shownModel(quantizedName(name, selector));
  const room = capacity.value;
  const memoryBytes = room && freeVramBytes(room) + room.memory.freeBytes;
  const notes = [
    formatBytes(sizeBytes),
    files > 1 && `${files} files`,
    isDefault && "default",
    local.value?.some((model) => isSameModel(model.name, reference)) && "installed",
    findDownload(downloads, reference) && "downloading",
    sizeBytes > (memoryBytes ?? Infinity) && "too big for memory",
    sizeBytes > (room?.diskFreeBytes ?? Infinity) && "too big for the disk",
  ];
  return { value: selector, title: selector, note: notes.filter(Boolean).join(", ") };
}
