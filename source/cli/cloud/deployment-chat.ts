// The chat's backend for a deployment: its address, its key, whatever model it serves.
import { ProductError } from "../../base/product-error.ts";
import type { ChatEvent, ClientMessage, ModelFacts } from "../../client/chat-events.ts";
import { clientErrors } from "../../client/errors.ts";
import { type EndpointConnection, OpenAiEndpoint } from "../../client/openai-endpoint.ts";
import type { ChatBackend, ChatSettings } from "../../ui/chat-backend.ts";
import type { ModelChoice, ShowTopic } from "../../ui/model-services.ts";

export interface DeploymentChatOptions {
  /** `local/tiny` */
  readonly name: string;
  readonly connection: EndpointConnection;
}

export class DeploymentChat implements ChatBackend {
  readonly #options: DeploymentChatOptions;
  readonly #endpoint: OpenAiEndpoint;
  #model: string | undefined;

  constructor(options: DeploymentChatOptions) {
    this.#options = options;
    this.#endpoint = new OpenAiEndpoint(options.connection);
  }

  /** Until it has answered once, it is known by the deployment's name. */
  get facts(): ModelFacts {
    const { name, connection } = this.#options;
    return {
      name: this.#model === undefined ? name : `${name} ${this.#model}`,
      contextLength: undefined,
      card: `The deployment at ${connection.url}.`,
    };
  }

  /** The deployment is named with its model already. */
  serverLabel(): string {
    return "";
  }

  /** A deployment that sleeps is woken by the first question, and answers when it is up. */
  async *chat(
    messages: readonly ClientMessage[],
    { system, parameters, think, format }: ChatSettings,
    signal: AbortSignal,
  ): AsyncGenerator<ChatEvent> {
    const model = await this.#served(signal);
    const all: ClientMessage[] =
      system === undefined ? [...messages] : [{ role: "system", content: system }, ...messages];
    yield* this.#endpoint.chat({ model, messages: all, parameters, think, format, signal });
  }

  async show(topic: ShowTopic): Promise<string> {
    if (topic !== "info") return "";
    const models = await this.#endpoint.models();
    const { name, connection } = this.#options;
    return `Deployment  ${name}\nAddress     ${connection.url}\nModels      ${models.join(", ")}\n`;
  }

  async models(): Promise<readonly ModelChoice[]> {
    return (await this.#endpoint.models()).map((name) => ({ name, sizeText: "" }));
  }

  async use(model: string): Promise<void> {
    const models = await this.#endpoint.models();
    if (!models.includes(model)) {
      throw notHere(`${this.#options.name} serves ${models.join(", ")}, and no ${model}.`);
    }
    this.#model = model;
  }

  /** Nobody tells: the deployment itself refuses an image that it cannot see. */
  async sees(): Promise<boolean> {
    return true;
  }

  async countTokens(): Promise<number> {
    throw notHere("A deployment does not tell how many tokens a prompt has before it is asked.");
  }

  async imageTokens(): Promise<number> {
    throw notHere("A deployment does not tell how many tokens an image takes.");
  }

  async save(): Promise<void> {
    throw notHere("A chat with a deployment cannot be saved as a model: its model is not here.");
  }

  async #served(signal: AbortSignal): Promise<string> {
    if (this.#model !== undefined) return this.#model;
    const [first] = await this.#endpoint.models(signal);
    if (first === undefined) throw notHere(`${this.#options.name} serves no model.`);
    this.#model = first;
    return first;
  }
}

function notHere(message: string): ProductError {
  return new ProductError(clientErrors.notOffered, { message });
}
