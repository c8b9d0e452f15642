// Actions on the selected model: chat, load, copy, rename, edit, delete, and show its card.

import { describeError } from "../../../base/product-error.ts";
import { readHubCard } from "../../../client/models-hub.ts";
import {
  copyModel,
  createFromModelfile,
  deleteModel,
  describeModel,
  type LocalModel,
  planDeletion,
} from "../../../client/models-store.ts";
import { cardText, deletionSentence } from "./card-text.ts";
import { entriesOf, isLoaded, readOnlyReason } from "./model-entries.ts";
import { baseName, isSameModel, nameKey } from "./model-name.ts";
import type { ActionMessage, ModelsContext } from "./models-context.ts";
import { type LoadingModel, withList } from "./models-state.ts";

const emptyModelfile = "FROM tiny\n";

export function chat({ entry, frame }: ModelsContext): undefined {
  if (entry !== undefined) frame.open("chat", entry.name);
}

export async function toggleLoad(context: ModelsContext): ActionMessage {
  const { entry, client, feed } = context;
  if (entry === undefined) return undefined;
  if (!isLoaded(entry)) return await load(context, entry.name);
  await client().unload(entry.name);
  await feed.refreshRunning();
  return undefined;
}

export function cancelLoad({ entry, loads }: ModelsContext): undefined {
  if (entry !== undefined) loads.get(nameKey(entry.name))?.abort();
}

export async function copy(context: ModelsContext): ActionMessage {
  const name = localModel(context)?.name;
  if (name === undefined) return undefined;
  const target = await askName(context, `Copy ${name} to`, `${baseName(name)}-copy`, name);
  if (target === undefined) return undefined;
  await copyModel(context.client(), name, target);
  await showNew(context, target);
  return `${target} is a copy of ${name}`;
}

export async function rename(context: ModelsContext): ActionMessage {
  const { client } = context;
  const model = localModel(context);
  if (model === undefined) return undefined;
  const { name } = model;
  const reason = readOnlyReason(model);
  if (reason !== undefined) return reason;
  const target = await askName(context, `Rename ${name} to`, baseName(name), name);
  if (target === undefined) return undefined;
  await copyModel(client(), name, target);
  try {
    await deleteModel(client(), name);
  } finally {
    await showNew(context, target);
  }
  return `${name} is ${target} now`;
}

export async function remove(context: ModelsContext): ActionMessage {
  const { client, frame, feed, store } = context;
  const model = localModel(context);
  if (model === undefined) return undefined;
  const { name } = model;
  const reason = readOnlyReason(model);
  if (reason !== undefined) return reason;
  // A damaged model has no plan, and can be deleted nevertheless.
  const effect = planDeletion(client(), name).then(deletionSentence, describeError);
  if (!(await frame.confirm(`Delete ${name}?`, effect))) return undefined;
  const names = entriesOf(context.state, "local").map((found) => found.entry.name);
  const at = names.indexOf(name);
  await deleteModel(client(), name);
  const selected = names[at + 1] ?? names[at - 1];
  if (at >= 0) store.update(withList(context.state, "local", { selected }));
  feed.forgetCards();
  await feed.refresh();
  return `${name} is deleted`;
}

/** Makes a model from the selected one's Modelfile, or from an empty one; a mistake loses nothing. */
export async function editModelfile(context: ModelsContext): ActionMessage {
  const { client, frame, drafts } = context;
  const name = localModel(context)?.name;
  const key = name ?? "";
  const draft = drafts.get(key);
  const modelfile = async (model: string) => (await describeModel(client(), model)).modelfile;
  const text = draft ?? (name === undefined ? emptyModelfile : await modelfile(name));
  // A draft left as it is may be tried once more.
  const edited = (await frame.edit(text, "Modelfile")) ?? draft;
  if (edited === undefined) return "Nothing was changed, so nothing was made";
  drafts.set(key, edited);
  const suggestion = name === undefined ? "" : `${baseName(name)}-custom`;
  const target = await askName(context, "Make it under the name", suggestion);
  if (target === undefined) return "Nothing was made; e opens your text again";
  try {
    await create(context, target, edited);
  } catch (error) {
    return `${describeError(error)} e opens your text again`;
  }
  drafts.delete(key);
  return `${target} is made`;
}

export async function copyName({ entry, frame }: ModelsContext): ActionMessage {
  return entry && (await frame.copy(entry.name));
}

/** Opens the whole card in the pager. */
export async function showCard({ entry, client, frame }: ModelsContext): ActionMessage {
  if (entry === undefined) return undefined;
  const { kind, name } = entry;
  const text =
    kind === "hub"
      ? await readHubCard(client(), name)
      : cardText(await describeModel(client(), name));
  if (text === "") return `${name} has no card`;
  await frame.page(text);
  return undefined;
}

function localModel({ entry }: ModelsContext): LocalModel | undefined {
  return entry?.kind === "local" ? entry.model : undefined;
}

/** Loads with the chosen window and KV cache. */
async function load(context: ModelsContext, name: string): ActionMessage {
  const { client, feed, state, loads } = context;
  const key = nameKey(name);
  if (loads.has(key)) return `${name} is being loaded`;
  const controller = new AbortController();
  loads.set(key, controller);
  noteLoad(context, name, { name, step: "load", fraction: undefined });
  const { contextLength, cacheType } = state.choice;
  try {
    const events = client().generate("", {
      model: name,
      signal: controller.signal,
      parameters: {
        ...(contextLength !== undefined && { num_ctx: contextLength }),
        ...(cacheType !== undefined && { kv_cache_type: cacheType }),
      },
    });
    for await (const event of events) {
      if (event.type !== "checking" && event.type !== "loading") continue;
      const step = event.type === "checking" ? "check" : "load";
      noteLoad(context, name, { name, step, fraction: event.fraction });
    }
    await feed.refreshRunning();
    return undefined;
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    return `Loading ${name} was cancelled`;
  } finally {
    loads.delete(key);
    noteLoad(context, name, undefined);
  }
}

function noteLoad(
  { store, state }: ModelsContext,
  name: string,
  loading: LoadingModel | undefined,
): void {
  const others = state.loading.filter((other) => !isSameModel(other.name, name));
  store.update({ loading: loading === undefined ? others : [...others, loading] });
}

async function create(context: ModelsContext, name: string, modelfile: string): Promise<void> {
  const { client, store, closing } = context;
  try {
    store.update({ work: `making ${name}` });
    await createFromModelfile(
      client(),
      { name, modelfile },
      {
        signal: closing,
        onProgress: ({ status, total, completed = 0 }) => {
          const percent = total ? ` ${Math.floor((completed / total) * 100)}%` : "";
          store.update({ work: `making ${name}: ${status}${percent}` });
        },
      },
    );
    await showNew(context, name);
  } finally {
    store.update({ work: undefined });
  }
}

/** Reads the lists again and selects the new model. */
async function showNew(context: ModelsContext, name: string): Promise<void> {
  const { store, feed } = context;
  feed.forgetCards();
  await feed.refresh();
  const found = context.state.local.value?.find((model) => isSameModel(model.name, name));
  if (found === undefined) return;
  store.update(withList(context.state, "local", { selected: found.name }));
}

/** @param source a model that cannot get its own name again */
async function askName(
  context: ModelsContext,
  question: string,
  suggestion: string,
  source?: string,
): ActionMessage {
  const { frame } = context;
  const check = (text: string) =>
    source !== undefined && isSameModel(text.trim(), source)
      ? `${source} has that name already`
      : undefined;
  const typed = (await frame.ask(question, suggestion, check))?.trim();
  if (typed === undefined || typed === "") return undefined;
  const taken = context.state.local.value?.find((model) => isSameModel(model.name, typed));
  if (taken === undefined) return typed;
  return (await frame.confirm(`Replace ${taken.name}?`)) ? typed : undefined;
}
