// Calls for a chat besides answers: the model's capabilities, the length of a prompt, saving the
// conversation as a model.
import type { ApiClient } from "./api-client.ts";
import type { ClientMessage, ClientTool } from "./chat-events.ts";
import { entriesOf, type Fields, fieldsOf, numberOf, textOf, textsOf } from "./reply-fields.ts";

/** Reply of `POST /api/show`: the fields that a chat shows, and others unchanged. */
export interface ShownModel extends Record<string, unknown> {
  capabilities: readonly string[];
  modelfile: string;
  parameters: string;
  template: string;
  system: string;
  license: string;
  /** Messages at the start of every conversation. */
  messages: readonly ClientMessage[];
}

/** @throws ServerRefusal 404 for an unknown model */
export async function showModel(client: ApiClient, model: string): Promise<ShownModel> {
  const shown = fieldsOf(await client.postJson("/api/show", { model }));
  return {
    ...shown,
    capabilities: textsOf(shown.capabilities),
    modelfile: textOf(shown.modelfile),
    parameters: textOf(shown.parameters),
    template: textOf(shown.template),
    system: textOf(shown.system),
    license: textOf(shown.license),
    messages: entriesOf(shown.messages).flatMap(readMessage),
  };
}

/**
 * True when a model accepts images.
 * @throws as `showModel`
 */
export async function seesImages(client: ApiClient, model: string): Promise<boolean> {
  return (await showModel(client, model)).capabilities.includes("vision");
}

export interface CountedPrompt {
  model: string;
  system: string | undefined;
  messages: readonly ClientMessage[];
  /** Tools that are offered. Defaults to none. */
  tools?: readonly ClientTool[];
  /** The model is loaded with them. */
  parameters: Readonly<Record<string, unknown>>;
}

/**
 * Counts the prompt tokens of a conversation, images and template included; loads the model.
 * @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE`
 */
export async function countTokens(
  client: ApiClient,
  { model, system, messages, tools = [], parameters }: CountedPrompt,
  signal?: AbortSignal,
): Promise<number> {
  const body = {
    model,
    system,
    messages: messages.flatMap(countedMessage),
    ...(tools.length > 0 && {
      tools: tools.map(({ function: { name, description, parameters: schema } }) => ({
        name,
        description,
        input_schema: schema,
      })),
    }),
    options: parameters,
  };
  const reply = await client.postJson("/v1/messages/count_tokens", body, signal);
  return numberOf(fieldsOf(reply).input_tokens);
}

/** Returns a message in Anthropic's form. A name stands for the id of a call. */
function countedMessage({
  role,
  content,
  images = [],
  tool_calls: calls = [],
  tool_name: tool,
}: ClientMessage): object[] {
  if (role === "system") return [];
  if (role === "tool") {
    const result = { type: "tool_result", tool_use_id: `${tool}`, content };
    return [{ role: "user", content: [result] }];
  }
  const blocks = [
    // A data URI without a type is valid for every format.
    ...images.map((base64) => ({
      type: "image",
      source: { type: "url", url: `data:;base64,${base64}` },
    })),
    ...(content === "" && calls.length > 0 ? [] : [{ type: "text", text: content }]),
    ...calls.map(({ function: { name, arguments: input } }) => ({
      type: "tool_use",
      id: name,
      name,
      input,
    })),
  ];
  return [{ role, content: blocks }];
}

/**
 * Counts the tokens of an image in a prompt.
 * @throws as `countTokens`
 */
export async function imageTokens(
  client: ApiClient,
  prompt: Pick<CountedPrompt, "model" | "parameters">,
  base64: string,
  signal?: AbortSignal,
): Promise<number> {
  const count = async (images: readonly string[]) => {
    const messages = [{ role: "user" as const, content: "?", images }];
    return await countTokens(client, { ...prompt, system: undefined, messages }, signal);
  };
  return (await count([base64])) - (await count([]));
}

export interface SavedConversation {
  /** Name of the new model. */
  name: string;
  from: string;
  system: string | undefined;
  parameters: Readonly<Record<string, unknown>>;
  messages: readonly ClientMessage[];
}

/**
 * Creates a model that starts every conversation with these messages; images are left out.
 *
 * @throws ServerRefusal for an invalid name
 */
export async function saveAsModel(
  client: ApiClient,
  { name, from, system, parameters, messages }: SavedConversation,
): Promise<void> {
  await client.postJson("/api/create", {
    model: name,
    from,
    stream: false,
    system,
    ...(Object.keys(parameters).length > 0 && { parameters }),
    messages: messages
      .filter(({ role }) => role === "user" || role === "assistant")
      .map(({ role, content }) => ({ role, content })),
  });
}

function readMessage(message: Fields): ClientMessage[] {
  const role = (["system", "user", "assistant"] as const).find((known) => known === message.role);
  return role === undefined ? [] : [{ role, content: textOf(message.content) }];
}
