// Client that sends chats directly to the engine's process, as the load generator does to a server.

import { freemem } from "node:os";
import { join } from "node:path";
import { engineSettings } from "../../source/application/local-server/engine-settings.ts";
import { loadSettings } from "../../source/configuration/load-settings.ts";
import type { GenerationEvent } from "../../source/engine/generation.ts";
import { RunnerProcess } from "../../source/engine/runner/runner-process.ts";
import { toSampling } from "../../source/engine/sampling-defaults.ts";
import { planLoad } from "../../source/engine/scheduler/load-plan.ts";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import { ModelStore } from "../../source/store/library/model-store.ts";
import { ModelCatalog } from "../../source/store/model-catalog.ts";
import type { ChatResult, Client } from "./load-generator.ts";
import type { ImageMessage, Message } from "./prompts.ts";
import type { ServerSettings } from "./server-process.ts";

export interface RunnerClient extends Pick<Client, "chat"> {
  stop: () => Promise<void>;
}

/** Loads the model with the settings that our server uses for the same figures. */
export async function startRunnerClient(settings: ServerSettings): Promise<RunnerClient> {
  const { modelPath, slots, context, threads, temporaryFolder } = settings;
  const store = new ModelStore(join(temporaryFolder, "no-models"));
  const model = await new ModelCatalog({ store }).resolve(modelPath);
  const configured = loadSettings({ environment: {} }).values;
  const engine = {
    ...engineSettings(configured),
    ...{ slots, threads, contextLength: context },
  };
  // With this variable the child finds the engine that was built for this machine.
  if (settings.usesPrebuilt) process.env.XDG_CACHE_HOME = join(temporaryFolder, "no-cache");
  const free = { memoryBytes: freemem(), cardBytes: undefined };
  const { runner, facts } = await RunnerProcess.start(planLoad(model, {}, engine, free), {});
  const template = new ChatTemplate(model.facts.chatTemplate);
  return {
    chat: async (messages, maxTokens) => {
      const sentAtMs = performance.now();
      const segments = template.render({ messages: messages.map(textOf) }, facts);
      const events = runner.generate(
        {
          prompt: { segments },
          maxTokens: maxTokens,
          sampling: toSampling({ temperature: 0 }, []),
          stop: [],
          ignoreEndOfText: true,
          topLogprobs: undefined,
          grammar: undefined,
          visibleControlTexts: [],
        },
        new AbortController().signal,
      );
      return await readChat(events, sentAtMs);
    },
    stop: () => runner.stop(),
  };
}

function textOf({ role, content }: Message | ImageMessage): Message {
  if (typeof content === "string") return { role, content };
  throw new Error("the bare engine is asked about text alone");
}

async function readChat(
  events: AsyncIterable<GenerationEvent>,
  sentAtMs: number,
): Promise<ChatResult> {
  let text = "";
  let firstAtMs: number | undefined;
  let lastAtMs = sentAtMs;
  for await (const event of events) {
    if (event.type === "text") {
      lastAtMs = performance.now();
      firstAtMs ??= lastAtMs;
      text += event.text;
    } else if (event.type === "done") {
      if (firstAtMs === undefined) break;
      return { text, ...event.statistics, sentAtMs, firstAtMs, lastAtMs };
    }
  }
  throw new Error("the engine's answer has no text or no end");
}
