// Loads a tiny model into a separate runner process, with chosen settings.
import path from "node:path";
import type {
  GenerationEvent,
  GenerationRequest,
  RunnerFacts,
  SamplingParameters,
} from "../../source/engine/generation.ts";
import type { LoadSettings } from "../../source/engine/runner/load-settings.ts";
import { RunnerProcess } from "../../source/engine/runner/runner-process.ts";
import type { EngineSettings } from "../../source/engine/scheduler/load-plan.ts";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import type { PromptSegment } from "../../source/prompt/prompt-segment.ts";
import { readGgufFacts } from "../../source/store/gguf/gguf-facts.ts";
import { messagesOf, type Pair } from "./pairs.ts";

export const tinyFile = path.join(
  import.meta.dirname,
  "..",
  "..",
  "media",
  "models",
  "tiny-chat.gguf",
);

export const greedy: SamplingParameters = {
  temperature: 0,
  topK: 40,
  topP: 0.9,
  minP: 0,
  repeatPenalty: 1,
  repeatLastN: 64,
  presencePenalty: 0,
  frequencyPenalty: 0,
  seed: undefined,
  logitBias: [],
};

/** Settings under which tests let a scheduler load it. */
export const tinyEngine: EngineSettings = {
  device: "cpu",
  slots: 2,
  contextLength: 1024,
  threads: 1,
  flashAttention: "auto",
  kvCacheType: "f16",
  unifiedCache: false,
  splitMode: undefined,
  tensorSplit: undefined,
  prefillChunk: 64,
  mixedBatches: false,
  lookupTokens: 0,
  prefixSharing: true,
  conversationCacheBytes: undefined,
  promptCache: undefined,
  maxQueue: 16,
};

export interface Answer {
  text: string;
  events: GenerationEvent[];
  done: Extract<GenerationEvent, { type: "done" }>;
}

/** A loaded tiny model and the ways to ask it. */
export interface Tiny {
  runner: RunnerProcess;
  facts: RunnerFacts;
  template: ChatTemplate;
  render(messages: Array<{ role: string; content: string }>): PromptSegment[];
  ask(
    messages: Array<{ role: string; content: string }>,
    changes?: Partial<GenerationRequest>,
    signal?: AbortSignal,
  ): Promise<Answer>;
  askPair(pair: Pair, signal?: AbortSignal): Promise<Answer>;
}

export async function tinySettings(changes: Partial<LoadSettings> = {}): Promise<LoadSettings> {
  const facts = await readGgufFacts(tinyFile);
  return {
    modelPath: tinyFile,
    sizeBytes: facts.fileSize,
    draft: undefined,
    mtp: undefined,
    adapters: [],
    vision: undefined,
    architecture: facts.architecture,
    layers: facts.layers,
    missingMtpLayers: 0,
    vocabularySize: facts.vocabularySize,
    trainedContextLength: facts.trainedContextLength,
    slidingWindow: facts.slidingWindow,
    keepsWholeWindow: false,
    device: "cpu",
    gpuLayers: undefined,
    placement: {},
    unifiedCache: false,
    slots: 4,
    contextLength: 2048,
    windowRoomTokens: facts.trainedContextLength,
    windowLimit: "num_ctx",
    threads: undefined,
    batchSize: 512,
    prefillChunk: 64,
    mixedBatches: false,
    lookupTokens: 0,
    prefixSharing: true,
    conversationCacheBytes: undefined,
    promptCache: undefined,
    flashAttention: "auto",
    kvCacheType: "f16",
    useMmap: true,
    maxQueue: 512,
    ...changes,
  };
}

export async function loadTiny(changes: Partial<LoadSettings> = {}): Promise<Tiny> {
  const { runner, facts } = await RunnerProcess.start(
    await tinySettings({ threads: 1, ...changes }),
    {},
  );
  const { chatTemplate } = await readGgufFacts(tinyFile);
  const template = new ChatTemplate(chatTemplate);
  const render: Tiny["render"] = (messages) =>
    template.render(
      { messages: messages as Parameters<typeof template.render>[0]["messages"] },
      facts,
    );
  const run = async (
    segments: PromptSegment[],
    changes: Partial<GenerationRequest> = {},
    signal = new AbortController().signal,
  ) =>
    await collect(
      runner.generate(
        {
          prompt: { segments },
          maxTokens: 700,
          sampling: greedy,
          stop: [],
          ignoreEndOfText: false,
          topLogprobs: undefined,
          grammar: undefined,
          visibleControlTexts: [],
          ...changes,
        },
        signal,
      ),
    );
  return {
    runner,
    facts,
    template,
    render,
    ask: async (messages, changes, signal) =>
      await run(changes?.prompt === undefined ? render(messages) : [], changes, signal),
    askPair: async (pair, signal) => {
      const tools = (pair.tools ?? []).map((tool) => tool.function);
      const messages = messagesOf(pair) as Parameters<typeof template.render>[0]["messages"];
      return await run(template.render({ messages, tools }, facts), {}, signal);
    },
  };
}

let shared: Promise<Tiny> | undefined;

/** Loads the one that all files of a worker share, for up to eight requests at once; it ends with the worker. */
export async function sharedTiny(): Promise<Tiny> {
  shared ??= loadTiny({ slots: 8 });
  return await shared;
}

export async function collect(stream: AsyncIterable<GenerationEvent>): Promise<Answer> {
  const events: GenerationEvent[] = [];
  for await (const event of stream) events.push(event);
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  const done = events.at(-1);
  if (done?.type !== "done") throw new Error("the answer did not end with done");
  return { text, events, done };
}
