// Loads the tiny model that sees into a runner process, through either engine, and asks it.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { GenerationRequest, RunnerFacts } from "../../source/engine/generation.ts";
import type { LoadSettings, VisionSettings } from "../../source/engine/runner/load-settings.ts";
import { RunnerProcess } from "../../source/engine/runner/runner-process.ts";
import type { ChatImage } from "../../source/prompt/chat-message.ts";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import type { PromptMessage } from "../../source/prompt/prompt-template.ts";
import { readGgufFacts } from "../../source/store/gguf/gguf-facts.ts";
import { type Answer, collect, greedy, tinySettings } from "./load-tiny.ts";

const models = path.join(import.meta.dirname, "..", "..", "media", "models");
const fixtures = path.join(import.meta.dirname, "..", "fixtures");

export const visionFile = path.join(models, "tiny-vision.gguf");
export const projectorFile = path.join(models, "mmproj-tiny-vision.gguf");

export interface ImagePair {
  image: string;
  question: string;
  answer: string;
}

/** The model's exact answer for each picture, at temperature 0. */
export const imagePairs: readonly ImagePair[] = JSON.parse(
  readFileSync(path.join(fixtures, "image-pairs.json"), "utf8"),
);

export function imageFile(name: string): string {
  return path.join(fixtures, "images", name);
}

export function imageBytes(name: string): Buffer {
  return readFileSync(imageFile(name));
}

export function image(name: string, at?: number): ChatImage {
  const base64 = imageBytes(name).toString("base64");
  return { base64, ...(at !== undefined && { at }) };
}

/** A question about pictures. */
export function look(content: string, ...images: ChatImage[]): PromptMessage {
  return { role: "user", content, images };
}

/** A loaded model that sees, and the way to ask it. */
export interface TinyVision {
  runner: RunnerProcess;
  facts: RunnerFacts;
  ask(
    messages: PromptMessage[],
    changes?: Partial<GenerationRequest>,
    signal?: AbortSignal,
  ): Promise<Answer>;
}

export async function loadVision(
  engine: VisionSettings["engine"],
  changes: Partial<LoadSettings> = {},
): Promise<TinyVision> {
  const model = await readGgufFacts(visionFile);
  const settings = await tinySettings({
    modelPath: visionFile,
    vocabularySize: model.vocabularySize,
    vision: { projectorPath: projectorFile, engine },
    threads: 1,
    ...changes,
  });
  const { runner, facts } = await RunnerProcess.start(settings, {});
  const template = new ChatTemplate(model.chatTemplate);
  return {
    runner,
    facts,
    ask: async (messages, more = {}, signal = new AbortController().signal) => {
      const images = messages.flatMap((message) => message.images ?? []);
      const prompt = {
        segments: template.render({ messages }, facts),
        images: images.map(({ base64 }) => base64),
      };
      const request: GenerationRequest = {
        prompt,
        maxTokens: 700,
        sampling: greedy,
        stop: [],
        ignoreEndOfText: false,
        topLogprobs: undefined,
        grammar: undefined,
        visibleControlTexts: [],
        ...more,
      };
      return await collect(runner.generate(request, signal));
    },
  };
}
