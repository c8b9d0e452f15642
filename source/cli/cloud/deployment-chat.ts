// The chat's backend for a deployment: its address, its key, its model.
import type { SessionDeployment } from "../../application/chat-sessions.ts";
import { ProductError } from "../../base/product-error.ts";
import { ServerRefusal } from "../../client/api-client.ts";
import type { ChatEvent, ClientMessage, ModelFacts } from "../../client/chat-events.ts";
import { clientErrors } from "../../client/errors.ts";
import { type EndpointConnection, OpenAiEndpoint } from "../../client/openai-endpoint.ts";
import type { ChatSettings, ModelChoice, ShowTopic } from "../../ui/screens/chat/chat-backend.ts";
import type { DeploymentBackend } from "../../ui/screens/cloud-access.ts";

export interface DeploymentChatOptions {
  readonly deployment: SessionDeployment;
  /** @param isRefused the key before was refused: another one is needed */
  readonly connect: (isRefused: boolean) => Promise<EndpointConnection>;
}

export class DeploymentChat implements DeploymentBackend {
  readonly deployment: SessionDeployment;
  readonly #connect: DeploymentChatOptions["connect"];
  #endpoint: OpenAiEndpoint | undefined;
  #model: string | undefined;
  /** The model of a saved chat; the deployment may serve another one by now. */
  #savedModel: string | undefined;

  constructor({ deployment, connect }: DeploymentChatOptions) {
    this.deployment = deployment;
    this.#connect = connect;
  }

  /** Until it has answered once, it is known by the deployment's name. */
  get facts(): ModelFacts {
    const { app, url } = this.deployment;
    const model = this.#model ?? this.#savedModel;
    return {
      name: model === undefined ? app : `${app} ${model}`,
      contextLength: undefined,
      card: `The deployment at ${url}.`,
    };
  }

  /** The deployment is named with its model already. */
  serverLabel(): string {
    return "";
  }

  async reach(): Promise<void> {
    await this.#reached();
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
    const request = { model, messages: all, parameters, think, format, signal };
    const endpoint = await this.#reached();
    try {
      yield* endpoint.chat(request);
    } catch (error) {
      // Another revision may serve another one.
      if (error instanceof ServerRefusal && error.status === 404) this.#model = undefined;
      // Before anything of an answer has come: nothing is said twice.
      if (!isRefused(error)) throw error;
      yield* (await this.#reached(true)).chat(request);
    }
  }

  async show(topic: ShowTopic): Promise<string> {
    if (topic !== "info") return "";
    const models = await this.#models();
    const { app, url } = this.deployment;
    return `Deployment  ${app}\nAddress     ${url}\nModels      ${models.join(", ")}\n`;
  }

  async models(): Promise<readonly ModelChoice[]> {
    return (await this.#models()).map((name) => ({ name, sizeText: "" }));
  }

  /** @param model one that it serves; in the form of `facts`, the model of a saved chat */
  async use(model: string): Promise<void> {
    const { app } = this.deployment;
    if (model === app) return;
    if (model.startsWith(`${app} `)) {
      // To ask now would wake a deployment that sleeps, for a chat that is only read.
      this.#savedModel = model.slice(app.length + 1);
      this.#model = undefined;
      return;
    }
    const models = await this.#models();
    if (!models.includes(model)) {
      throw notHere(`${app} serves ${models.join(", ")}, not ${model}.`);
    }
    this.#model = model;
  }

  /** Unknown: the deployment itself refuses images that it cannot read. */
  async sees(): Promise<boolean> {
    return true;
  }

  async countTokens(): Promise<number> {
    throw notHere("A deployment cannot count the tokens of a prompt in advance.");
  }

  async imageTokens(): Promise<number> {
    throw notHere("A deployment cannot count the tokens of an image.");
  }

  async save(): Promise<void> {
    throw notHere(
      "A chat with a deployment cannot be saved as a model: its model is not on this machine.",
    );
  }

  async #served(signal: AbortSignal): Promise<string> {
    if (this.#model !== undefined) return this.#model;
    const models = await this.#models(signal);
    const [first] = models;
    if (first === undefined) throw notHere(`${this.deployment.app} serves no model.`);
    const saved = this.#savedModel;
    this.#model = saved !== undefined && models.includes(saved) ? saved : first;
    return this.#model;
  }

  async #models(signal?: AbortSignal): Promise<string[]> {
    try {
      return await (await this.#reached()).models(signal);
    } catch (error) {
      if (!isRefused(error)) throw error;
      return await (await this.#reached(true)).models(signal);
    }
  }

  async #reached(isKeyRefused = false): Promise<OpenAiEndpoint> {
    if (this.#endpoint === undefined || isKeyRefused) {
      this.#endpoint = new OpenAiEndpoint(await this.#connect(isKeyRefused));
    }
    return this.#endpoint;
  }
}

/** The key was revoked or expired: another one is found or created. */
function isRefused(error: unknown): boolean {
  return error instanceof ServerRefusal && error.status === 401;
}

function notHere(message: string): ProductError {
  return new ProductError(clientErrors.notOffered, { message });
}
