// Images of a request: refused if the model has no vision, otherwise checked and converted.
import { ProductError } from "../../base/product-error.ts";
import type { ChatImage } from "../../prompt/chat-message.ts";
import type { PromptMessage } from "../../prompt/prompt-template.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import { engineErrors } from "../errors.ts";
import type { ChatInput, RequestInput } from "../request.ts";
import { readImage } from "./read-image.ts";

/** Returns the images of a conversation in the order in which prompts number them. */
export function imagesOf(messages: readonly PromptMessage[]): ChatImage[] {
  return messages.flatMap(({ images }) => images ?? []);
}

export function hasImages(input: RequestInput): boolean {
  return imagesIn(input).length > 0;
}

/**
 * @param name the model as the client named it
 * @returns the request's input with images that every engine reads
 * @throws ProductError `ENGINE_CAPABILITY_MISSING` with a text that clients look for,
 *   `ENGINE_IMAGE_INVALID`
 */
export async function readRequestImages(
  input: RequestInput,
  model: Pick<ResolvedModel, "projectors">,
  name: string,
): Promise<RequestInput> {
  if (!hasImages(input)) return input;
  refuseWithoutProjector(model, name, input);
  if (input.kind === "chat") return { ...input, messages: await readMessages(input.messages) };
  if (input.kind === "raw") return { ...input, images: await readAll(input.images ?? []) };
  return input;
}

/** Does the same as `readRequestImages` for a conversation. */
export async function readChatImages(
  input: ChatInput,
  model: Pick<ResolvedModel, "projectors">,
  name: string,
): Promise<ChatInput> {
  if (!hasImages(input)) return input;
  refuseWithoutProjector(model, name, input);
  return { ...input, messages: await readMessages(input.messages) };
}

function imagesIn(input: RequestInput): readonly ChatImage[] {
  if (input.kind === "chat") return imagesOf(input.messages);
  return input.kind === "raw" ? (input.images ?? []) : [];
}

function refuseWithoutProjector(
  model: Pick<ResolvedModel, "projectors">,
  name: string,
  input: RequestInput,
): void {
  if (model.projectors.length > 0) return;
  throw new ProductError(engineErrors.capabilityMissing, {
    message: `"${name}" does not support images`,
    hint: "Leave them out, or use a model that has a projector.",
    param: imagesIn(input)[0]?.param ?? "images",
  });
}

async function readMessages(messages: readonly PromptMessage[]): Promise<PromptMessage[]> {
  const read: PromptMessage[] = [];
  for (const message of messages) {
    const { images = [] } = message;
    read.push(images.length === 0 ? message : { ...message, images: await readAll(images) });
  }
  return read;
}

/** Reads one image at a time, since a decoded image takes much memory. */
async function readAll(images: readonly ChatImage[]): Promise<ChatImage[]> {
  const read: ChatImage[] = [];
  for (const image of images) read.push(await readImage(image));
  return read;
}
