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
import type { ModelsContext } from "./list-actions.ts";
import { isLoaded, readOnlyReason } from "./model-entries.ts";
import { baseName, isSameModel, nameKey } from "./model-name.ts";
import { type LoadingModel, modelNamed, withList } from "./models-state.ts";

const emptyModelfile = "FROM tiny\n";

export function chat({ entry, frame }: ModelsContext): undefined {
  if (entry !== undefined) frame.open("chat", entry.name);
}

/** Adds a found file as a model that refers to it, under a name that is asked for. */
export async function addFound(context: ModelsContext): Promise<string | undefined> {
  const { entry, store } = context;
  const found = entry?.kind === "local" ? entry.found : undefined;
  if (found === undefined) return undefined;
  const name = await askName(context, "Add model as", nameOfFile(found.path));
  if (name === undefined) return "Model not added";
  await create(context, name, `FROM ${found.path}\n`);
  store.update({ found: context.state.found.filter((other) => other !== found) });
  return `Added ${name}, which refers to ${found.path}`;
}

/** `qwen3-8b-q4_k_m` for `/home/me/Downloads/Qwen3-8B-Q4_K_M.gguf`; parts lose their numbers. */
function nameOfFile(file: string): string {
  const stem = file.slice(file.lastIndexOf("/") + 1).replace(/(?:-\d{5}-of-\d{5})?\.gguf$/i, "");
  return stem
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "");
}

export async function toggleLoad(context: ModelsContext): Promise<string | undefined> {
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

export async function copy(context: ModelsContext): Promise<string | undefined> {
  const name = localModel(context)?.name;
  if (name === undefined) return undefined;
  const target = await askName(context, `Copy ${name} to`, `${baseName(name)}-copy`, name);
  if (target === undefined) return undefined;
  await copyModel(context.client(), name, target);
  await showNew(context, target);
  return `Copied ${name} to ${target}`;
}

export async function rename(context: ModelsContext): Promise<string | undefined> {
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
  return `Renamed ${name} to ${target}`;
}

export async function remove(context: ModelsContext): Promise<string | undefined> {
  const { client, frame, feed } = context;
  const model = localModel(context);
  if (model === undefined) return undefined;
  const { name } = model;
  const reason = readOnlyReason(model);
  if (reason !== undefined) return reason;
  // A damaged model has no plan, but can still be deleted.
  const effect = planDeletion(client(), name).then(deletionSentence, describeError);
  if (!(await frame.confirm(`Delete ${name}?`, effect))) return undefined;
  await deleteModel(client(), name);
  feed.forgetCards();
  await feed.refresh();
  return `Deleted ${name}`;
}

/** Creates a model from the selected one's Modelfile, or from an empty one; a failure keeps the text. */
export async function editModelfile(context: ModelsContext): Promise<string | undefined> {
  const { client, frame, drafts } = context;
  const name = localModel(context)?.name;
  const key = name ?? "";
  const draft = drafts.get(key);
  const modelfile = async (model: string) => (await describeModel(client(), model)).modelfile;
  const text = draft ?? (name === undefined ? emptyModelfile : await modelfile(name));
  // An unchanged draft may be tried again.
  const edited = (await frame.edit(text, "Modelfile")) ?? draft;
  if (edited === undefined) return "No changes; model not created";
  drafts.set(key, edited);
  const suggestion = name === undefined ? "" : `${baseName(name)}-custom`;
  const target = await askName(context, "Create model as", suggestion);
  if (target === undefined) return "Model not created; press e to edit again";
  try {
    await create(context, target, edited);
  } catch (error) {
    return `${describeError(error)} Press e to edit again.`;
  }
  drafts.delete(key);
  return `Created ${target}`;
}

export async function copyName({ entry, frame }: ModelsContext): Promise<string | undefined> {
  return entry && (await frame.copy(entry.name));
}

/** Opens the whole card in the pager. */
export async function showCard({
  entry,
  client,
  frame,
}: ModelsContext): Promise<string | undefined> {
  if (entry === undefined) return undefined;
  const { kind, name } = entry;
  const text =
    kind === "hub"
      ? await readHubCard(client(), name)
      : cardText(await describeModel(client(), name));
  if (text === "") return `${name} has no model card`;
  await frame.page(text);
  return undefined;
}

function localModel({ entry }: ModelsContext): LocalModel | undefined {
  return entry?.kind === "local" ? entry.model : undefined;
}

/** Loads with the chosen window and KV cache. */
async function load(context: ModelsContext, name: string): Promise<string | undefined> {
  const { client, feed, state, loads } = context;
  const key = nameKey(name);
  if (loads.has(key)) return `${name} is already loading`;
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
      if (event.type === "checking" || event.type === "loading") {
        const step = event.type === "checking" ? "check" : "load";
        noteLoad(context, name, { name, step, fraction: event.fraction });
      } else if (event.type === "warming-up") {
        noteLoad(context, name, { name, step: "warm", fraction: undefined });
      }
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
    store.update({ work: `creating ${name}` });
    await createFromModelfile(
      client(),
      { name, modelfile },
      {
        signal: closing,
        onProgress: ({ status, total, completed = 0 }) => {
          const percent = total ? ` ${Math.floor((completed / total) * 100)}%` : "";
          store.update({ work: `creating ${name}: ${status}${percent}` });
        },
      },
    );
    await showNew(context, name);
  } finally {
    store.update({ work: undefined });
  }
}

/** Refreshes the lists and selects the new model. */
async function showNew(context: ModelsContext, name: string): Promise<void> {
  const { store, feed } = context;
  feed.forgetCards();
  await feed.refresh();
  const found = context.state.local.value?.find((model) => isSameModel(model.name, name));
  if (found === undefined) return;
  store.update(withList(context.state, "local", { selected: modelNamed(found.name) }));
}

/** @param source model whose own name is not accepted */
async function askName(
  context: ModelsContext,
  question: string,
  suggestion: string,
  source?: string,
): Promise<string | undefined> {
  const { frame } = context;
  const check = (text: string) =>
    source !== undefined && isSameModel(text.trim(), source)
      ? `${source} already has this name`
      : undefined;
  const typed = (await frame.ask(question, suggestion, check))?.trim();
  if (typed === undefined || typed === "") return undefined;
  const taken = context.state.local.value?.find((model) => isSameModel(model.name, typed));
  if (taken === undefined) return typed;
  return (await frame.confirm(`Replace ${taken.name}?`)) ? typed : undefined;
}
