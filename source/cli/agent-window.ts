// Context window for a coding agent: loads the model with one that is large enough, or as large as fits.
import { type Agent, recommendedWindow } from "../agents/agent.ts";
import { agentErrors } from "../agents/errors.ts";
import { shownModel } from "../base/display-text.ts";
import { formatMemory } from "../base/formats.ts";
import { ProductError } from "../base/product-error.ts";
import type { ApiClient } from "../client/api-client.ts";
import { showModel } from "../client/chat-calls.ts";
import { type LoadedEntry, loadedModels } from "../client/model-calls.ts";
import { type LocalModel, listModels } from "../client/models-store.ts";
import { Progress } from "./answer-output.ts";

/** Tokens that must be left for the task beyond an agent's first prompt. */
const minTaskTokens = 2048;
/** Windows are multiples of this. */
const windowStep = 1024;

export interface AgentWindow {
  /** Tokens of the loaded model's window. */
  contextLength: number;
  /** Sentences for the user. */
  notes: readonly string[];
  /** Gives the model its keep-alive time back, if it is still loaded. */
  release: () => Promise<void>;
}

/** @throws ProductError `AGENT_MODEL_WITHOUT_TOOLS`; ServerRefusal for an unknown model */
export async function checkTools(client: ApiClient, agent: Agent, model: string): Promise<void> {
  const { capabilities } = await showModel(client, model);
  if (agent.callsTools === false || capabilities.includes("tools")) return;
  throw new ProductError(agentErrors.modelWithoutTools, {
    message: `${agent.title} works by calling tools, which ${shownModel(model)} cannot.`,
    hint: "Choose a model whose capabilities in modelctl show include tools.",
  });
}

/**
 * Loads the model. If the window that it gets by itself is too small, loads it with a larger one, and
 * keeps it loaded until `release`, as it would otherwise come back with the smaller one.
 *
 * @throws ProductError `AGENT_WINDOW_TOO_SMALL`; errors of the server
 */
export async function openWindow(
  client: ApiClient,
  agent: Agent,
  model: string,
  signal: AbortSignal,
): Promise<AgentWindow> {
  const { known, before, usual, wanted } = await planWindow(client, agent, model);
  const isLarger = usual < wanted;
  await load(client, model, isLarger ? { num_ctx: wanted } : {}, signal);
  const loaded = await loadedEntry(client, model);
  const contextLength = loaded?.context_length ?? 0;
  const notes = before === undefined ? memoryNotes(known) : [];
  notes.push(...windowNotes(agent, model, contextLength, known));
  if (isLarger) await keep(client, model, -1);
  const release = async () => {
    const isThere = (await loadedEntry(client, model)) !== undefined;
    if (isThere && isLarger && loaded !== undefined) await keep(client, model, keepAliveOf(loaded));
  };
  return { contextLength, notes, release };
}

/**
 * Returns the tokens of the window that `openWindow` would load.
 *
 * @throws ProductError `AGENT_MODEL_WITHOUT_TOOLS`, `AGENT_WINDOW_TOO_SMALL`; errors of the server
 */
export async function plannedWindow(
  client: ApiClient,
  agent: Agent,
  model: string,
): Promise<number> {
  await checkTools(client, agent, model);
  const { known, usual, wanted } = await planWindow(client, agent, model);
  const contextLength = Math.max(usual, wanted);
  windowNotes(agent, model, contextLength, known);
  return contextLength;
}

async function planWindow(client: ApiClient, agent: Agent, model: string) {
  const name = shownModel(model);
  const known = (await listModels(client)).find((other) => other.name === name);
  const before = await loadedEntry(client, model);
  return {
    known,
    before,
    /** Window that the model has, or gets by itself. */
    usual: before?.context_length ?? known?.memory?.contextLength ?? 0,
    wanted: Math.min(
      Math.max(recommendedWindow, agent.promptTokens * 2),
      largestWindow(known, before),
    ),
  };
}

/** @throws ProductError `AGENT_WINDOW_TOO_SMALL` */
function windowNotes(
  { title, promptTokens }: Agent,
  model: string,
  contextLength: number,
  known: LocalModel | undefined,
): string[] {
  const name = shownModel(model);
  const isTrained = contextLength >= (known?.memory?.trainedContextLength ?? Infinity);
  const reason = isTrained ? "the most that it was trained for" : "as much as fits into memory";
  const needed = promptTokens + minTaskTokens;
  if (contextLength < needed) {
    throw new ProductError(agentErrors.windowTooSmall, {
      message: `${title} needs a window of ${needed} tokens, and ${name} has ${contextLength}, ${reason}.`,
      hint: "Choose a model with a larger window, or an agent with shorter prompts, such as pi.",
    });
  }
  if (contextLength >= recommendedWindow) return [];
  return [
    `${name} has a window of ${contextLength} tokens, ${reason}; agents work better with ${recommendedWindow}.`,
  ];
}

/** Tokens of a single window that free memory and the model's training allow; Infinity if unknown. */
function largestWindow(known: LocalModel | undefined, loaded: LoadedEntry | undefined): number {
  if (known?.memory === undefined) return Number.POSITIVE_INFINITY;
  const { windowRoomBytes, cacheBytesPerToken, cacheType, trainedContextLength } = known.memory;
  const tokenBytes = cacheBytesPerToken[cacheType];
  // The windows of a loaded model give their memory back before it is loaded again.
  const own = loaded === undefined ? 0 : loaded.slots * loaded.context_length;
  const free = tokenBytes === 0 ? Infinity : Math.max(0, windowRoomBytes) / tokenBytes;
  const fitting = Math.floor((free + own) / windowStep) * windowStep;
  return Math.min(trainedContextLength, fitting);
}

function memoryNotes(known: LocalModel | undefined): string[] {
  if (known?.memory === undefined || known.memory.windowRoomBytes >= 0) return [];
  const missing = formatMemory(-known.memory.windowRoomBytes);
  return [
    `${known.name} is ${missing} larger than the free memory: it is read from the disk repeatedly, which is slow.`,
  ];
}

async function loadedEntry(client: ApiClient, model: string): Promise<LoadedEntry | undefined> {
  const name = shownModel(model);
  const loaded = await loadedModels(client);
  return loaded.find(({ names }) => names.some((other) => shownModel(other) === name));
}

async function load(
  client: ApiClient,
  model: string,
  parameters: Record<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const progress = new Progress(process.stderr);
  try {
    for await (const event of client.generate("", { model, parameters, signal })) {
      progress.show(event, model);
    }
  } finally {
    progress.clear();
  }
}

const yearSeconds = 365 * 86_400;

/** Seconds that the model, which has just been used, stays loaded; -1: for good. */
function keepAliveOf({ expires_at }: LoadedEntry): number {
  const seconds = Math.round((Date.parse(expires_at) - Date.now()) / 1000);
  return seconds > yearSeconds ? -1 : Math.max(0, seconds);
}

async function keep(client: ApiClient, model: string, seconds: number): Promise<void> {
  await client.postJson("/api/generate", { model, keep_alive: seconds, stream: false });
}
