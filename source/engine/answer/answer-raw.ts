// Answers to raw prompts, which go to the model as they are.
import { ProductError } from "../../base/product-error.ts";
import { answerGrammar } from "../../prompt/grammar/answer-grammar.ts";
import { hasAllImages, imageText, splitAtImages } from "../../prompt/image-places.ts";
import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import { engineErrors } from "../errors.ts";
import type { GenerationPrompt } from "../generation.ts";
import type { CanonicalEvent, CanonicalRequest, RequestInput } from "../request.ts";
import type { ReadyModel } from "../scheduler/loaded-model.ts";
import { untilAborted } from "../scheduler/until-aborted.ts";
import { type AnswerOptions, generationOf } from "./answer-options.ts";

type RawInput = Extract<RequestInput, { kind: "raw" }>;

/** Returns the grammar of the requested format; raw prompts have one too. @throws ProductError of the schema */
export function rawGrammar({ format }: CanonicalRequest): string | undefined {
  return answerGrammar({
    format,
    tools: [],
    toolChoice: "none",
    parallelToolCalls: true,
    output: { name: "plain" },
    thinking: undefined,
    startsInThinking: false,
  });
}

/** @throws ProductError of the engine */
export async function* answerRaw(
  input: RawInput,
  options: AnswerOptions,
): AsyncGenerator<CanonicalEvent> {
  const { request, ready, signal } = options;
  const prompt = promptOf(input);
  const grammar = rawGrammar(request);
  if (request.renderOnly || request.onPrompt !== undefined) {
    const text = await untilAborted(textOf(input, ready), signal);
    request.onPrompt?.(text);
    if (request.renderOnly) {
      const tokens = input.tokens ?? (await untilAborted(tokensOf(input, ready), signal));
      yield {
        type: "rendered",
        prompt: text,
        tokens: tokens.length,
        images: input.images?.length ?? 0,
      };
      return;
    }
  }
  yield* ready.runner.generate({ ...generationOf(options), prompt, grammar }, signal);
}

function promptOf({ text, images = [], tokens }: RawInput): GenerationPrompt {
  if (tokens !== undefined) return { tokens: [...tokens] };
  return {
    segments: segmentsOf(text, images.length),
    ...(images.length > 0 && { images: images.map(({ base64 }) => base64) }),
  };
}

async function tokensOf({ text, images = [] }: RawInput, { runner }: ReadyModel) {
  const segments = segmentsOf(text, images.length);
  const files = images.map(({ base64 }) => base64);
  return (await runner.call("tokenize", { segments, images: files })).tokens;
}

async function textOf({ text, tokens }: RawInput, { runner }: ReadyModel): Promise<string> {
  if (tokens === undefined) return text;
  return (await runner.call("detokenize", { tokens: [...tokens] })).text;
}

/** @throws ProductError `ENGINE_IMAGE_INVALID` unless the text has exactly one place for each image */
function segmentsOf(text: string, images: number): PromptSegment[] {
  if (images === 0) return [{ text, special: true }];
  const segments = splitAtImages(text, /\[img-(\d+)\]/).map((part) =>
    typeof part === "string" || part >= images
      ? { text: typeof part === "string" ? part : imageText(part), special: true }
      : { text: imageText(part), special: false, image: part },
  );
  if (hasAllImages(segments, images)) return segments;
  throw new ProductError(engineErrors.imageInvalid, {
    message: "The raw prompt must mark the place of each image exactly once.",
    hint: "Write [img-0] for the first image, [img-1] for the second, and so on.",
    param: "images",
  });
}
