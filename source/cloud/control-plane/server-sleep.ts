// Sleep of a replica's server: vLLM's sleep mode over its HTTP routes, and modelctl's unload.
// https://docs.vllm.ai/en/latest/features/sleep_mode.html
import { Type } from "typebox";
import { Check } from "typebox/schema";
import { isRecord, parseJson } from "../../base/json.ts";
import { describeError } from "../../base/product-error.ts";

/** Ways in which servers sleep. */
export interface SleepingServer {
  /** For events, such as `vLLM`. */
  name: string;
  /** Time to wake, after which the server counts as stuck; never longer than the limit for a start. */
  wakeLimitMs: number;
  /** Resolves when its memory is given back. Throws if it refuses. */
  sleep(signal: AbortSignal): Promise<void>;
  /** Resolves when it answers again. Throws if it does not wake. */
  wake(signal: AbortSignal): Promise<void>;
}

/** Moving the weights back takes seconds. */
const vllmWakeLimitMs = 120_000;
/** A timer cannot wait for longer. */
const noLimitMs = 2 ** 31 - 1;

/** Level 1 keeps the weights in the machine's memory; level 2 drops them, and cannot be woken alone. */
const vllmSleep = "/sleep?level=1";

/**
 * Finds out how a server sleeps.
 *
 * @param endpoint of the replica
 * @param model of modelctl that its script serves, if any
 * @returns the reason why it cannot sleep, as the end of a sentence
 */
export async function findSleep(
  endpoint: string,
  model: string | undefined,
  signal: AbortSignal,
): Promise<SleepingServer | string> {
  if (model !== undefined) return modelctlAt(endpoint, model);
  try {
    const reply = await fetch(`${endpoint}/is_sleeping`, { signal });
    const document = parseJson(await reply.text());
    if (reply.ok && isRecord(document) && typeof document.is_sleeping === "boolean") {
      return vllmAt(endpoint);
    }
    return `GET /is_sleeping returned status ${reply.status}. vLLM needs --enable-sleep-mode and VLLM_SERVER_DEV_MODE=1`;
  } catch (error) {
    return `GET /is_sleeping failed: ${describeError(error).replace(/[.]$/, "")}`;
  }
}

function vllmAt(endpoint: string): SleepingServer {
  return {
    ...{ name: "vLLM", wakeLimitMs: vllmWakeLimitMs },
    sleep: async (signal) => await post(endpoint, vllmSleep, undefined, signal),
    wake: async (signal) => {
      await post(endpoint, "/wake_up", undefined, signal);
      const reply = await fetch(`${endpoint}/is_sleeping`, { signal });
      const document = parseJson(await reply.text());
      if (isRecord(document) && document.is_sleeping === false) return;
      throw new Error("the server still sleeps after POST /wake_up");
    },
  };
}

/**
 * Unloads all models, as callers may have loaded others, which ends the processes that hold them. Loading one
 * again reads its file from the page cache.
 *
 * @param model loaded again
 */
function modelctlAt(endpoint: string, model: string): SleepingServer {
  const keep = async (name: string, keepAlive: number, signal: AbortSignal) => {
    const body = { model: name, keep_alive: keepAlive, stream: false };
    await post(endpoint, "/api/generate", body, signal);
  };
  return {
    ...{ name: "modelctl", wakeLimitMs: noLimitMs },
    sleep: async (signal) => {
      for (const name of await loadedModels(endpoint, signal)) await keep(name, 0, signal);
    },
    wake: async (signal) => await keep(model, -1, signal),
  };
}

async function loadedModels(endpoint: string, signal: AbortSignal): Promise<string[]> {
  const reply = await fetch(`${endpoint}/api/ps`, { signal });
  const document = parseJson(await reply.text());
  if (!reply.ok || !Check(LoadedModels, document)) {
    throw new Error(`GET /api/ps returned status ${reply.status}`);
  }
  return document.models.map(({ name }) => name);
}

const LoadedModels = Type.Object({ models: Type.Array(Type.Object({ name: Type.String() })) });

async function post(
  endpoint: string,
  path: string,
  body: Record<string, unknown> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const reply = await fetch(`${endpoint}${path}`, {
    method: "POST",
    signal,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
  await reply.arrayBuffer();
  if (!reply.ok) throw new Error(`POST ${path} returned status ${reply.status}`);
}
