// Chat backend for a deployment.

import { ProductError } from "../../base/product-error.ts";
import type { ChatSettings, ModelChoice, ShowTopic } from "../../chat/chat-backend.ts";
import type { SessionDeployment } from "../../chat/sessions/session.ts";
import { ServerRefusal } from "../../client/api-client.ts";
import type { ChatEvent, ClientMessage, ModelFacts } from "../../client/chat-events.ts";
import { clientErrors } from "../../client/errors.ts";
import { type EndpointConnection, OpenAiEndpoint } from "../../client/openai-endpoint.ts";
import type { DeploymentBackend } from "../../ui/app/cloud-access.ts";

export interface DeploymentChatOptions {
  readonly deployment: SessionDeployment;
  /** @param isRefused true if the last key was refused */
  readonly connect: (isRefused: boolean) => Promise<DeploymentConnection>;
}

export interface DeploymentConnection extends EndpointConnection {
  /** The one it is deployed for, if known; its server may list others. */
  model?: string | undefined;
}

export class DeploymentChat implements DeploymentBackend {
  readonly deployment: SessionDeployment;
  readonly #connect: DeploymentChatOptions["connect"];
  #endpoint: OpenAiEndpoint | undefined;
  #model: string | undefined;
  /** Model that the deployment is for. */
  #ownModel: string | undefined;
  /** Model of a saved chat; the deployment may serve another one now. */
  #savedModel: string | undefined;

  constructor({ deployment, connect }: DeploymentChatOptions) {
    this.deployment = deployment;
    this.#connect = connect;
  }

  /** Named after the deployment until the model is known. */
  get facts(): ModelFacts {
    const { app, url } = this.deployment;
    const model = this.#model ?? this.#savedModel;
    return {
      name: model === undefined ? app : `${app} ${model}`,
      contextLength: undefined,
      card: `The deployment at ${url}.`,
    };
  }

  /** Empty, as the model's name contains the deployment. */
  serverLabel(): string {
    return "";
  }

  async reach(): Promise<void> {
    await this.#reached();
  }

  /** Yields an answer; a sleeping deployment is started by the question. */
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
      // A new revision may serve another model.
      if (error instanceof ServerRefusal && error.status === 404) {
        this.#model = undefined;
        this.#endpoint = undefined;
      }
      // Refused before any part of the answer, so it can be repeated.
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

  /** @param model that it serves, or the name in `facts` of a saved chat */
  async use(model: string): Promise<void> {
    const { app } = this.deployment;
    if (model === app) return;
    if (model.startsWith(`${app} `)) {
      // Not checked now, as that would start a sleeping deployment for reading a chat.
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

  /** Unknown, so true: the deployment refuses images itself. */
  async sees(): Promise<boolean> {
    return true;
  }

  /** Tools are for models of this machine. */
  async callsTools(): Promise<boolean> {
    return false;
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
    const wanted = [this.#savedModel, this.#ownModel];
    this.#model = wanted.find((model) => model !== undefined && models.includes(model)) ?? first;
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
      const connection = await this.#connect(isKeyRefused);
      this.#ownModel = connection.model;
      this.#endpoint = new OpenAiEndpoint(connection);
    }
    return this.#endpoint;
  }
}

/** True if the key was revoked or has expired. */
function isRefused(error: unknown): boolean {
  return error instanceof ServerRefusal && error.status === 401;
}

function notHere(message: string): ProductError {
  return new ProductError(clientErrors.notOffered, { message });
}
