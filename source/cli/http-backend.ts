// Chat backend for a modelctl server.

import { shownModel } from "../base/display-text.ts";
import { formatBytes } from "../base/formats.ts";
import { isRecord } from "../base/json.ts";
import type { ChatBackend, ChatSettings, ModelChoice, ShowTopic } from "../chat/chat-backend.ts";
import { answerWithTools, toClientTool } from "../chat/conversation/answer-with-tools.ts";
import {
  countTokens,
  imageTokens,
  saveAsModel,
  seesImages,
  showModel,
} from "../client/chat-calls.ts";
import type { ChatEvent, ClientMessage, ClientTool, ModelFacts } from "../client/chat-events.ts";
import { answerOptions } from "./answer-flags.ts";
import type { CommandTools } from "./chat-tools.ts";
import type { Flags } from "./flags.ts";
import type { ServerLink } from "./server-link.ts";
import { describedModel, formatDescription } from "./show-sections.ts";

/** @throws ServerRefusal for an unknown model */
export async function createHttpBackend(
  link: ServerLink,
  model: string,
  flags: Flags,
  tools?: CommandTools,
): Promise<HttpBackend> {
  return new HttpBackend(link, flags, await link.client.modelFacts(model), tools);
}

/** Returns the settings of a chat: flags override saved ones. */
export function settingsOf(
  flags: Flags,
  saved: ChatSettings = { system: undefined, parameters: {} },
): ChatSettings {
  const { think, format, parameters } = answerOptions(flags);
  return {
    ...saved,
    ...(flags.system !== undefined && { system: flags.system }),
    parameters: { ...saved.parameters, ...parameters },
    ...(think !== undefined && { think }),
    ...(format !== undefined && { format }),
    ...(flags.verbose && { isVerbose: true }),
  };
}

export class HttpBackend implements ChatBackend {
  readonly #link: ServerLink;
  readonly #flags: Flags;
  #facts: ModelFacts;
  readonly #tools: CommandTools | undefined;
  #callsTools: { readonly name: string; readonly value: boolean } | undefined;
  /** Warnings that would come with every message of the chat. */
  readonly #told = new Set<string>();

  constructor(link: ServerLink, flags: Flags, facts: ModelFacts, tools?: CommandTools) {
    this.#link = link;
    this.#flags = flags;
    this.#facts = facts;
    this.#tools = tools;
  }

  get facts(): ModelFacts {
    return this.#facts;
  }

  serverLabel(): string {
    return `● ${new URL(this.#link.client.connection.url).host}`;
  }

  async *chat(
    messages: readonly ClientMessage[],
    settings: ChatSettings,
    signal: AbortSignal,
    answerNow?: AbortSignal,
  ): AsyncGenerator<ChatEvent> {
    const tools = this.#tools;
    if (tools === undefined || tools.set.servers.length === 0) {
      yield* this.#turn(messages, [], settings, signal, answerNow);
      return;
    }
    if (!(await this.callsTools())) {
      const sentence = `${this.#facts.name} calls no tools: it answers without them.`;
      if (!this.#told.has(sentence)) yield { type: "warning", kind: "tools", sentence };
      this.#told.add(sentence);
      yield* this.#turn(messages, [], settings, signal, answerNow);
      return;
    }
    const { toolbox, maxCalls } = tools;
    const turn = (all: readonly ClientMessage[], offered: readonly ClientTool[]) =>
      this.#turn(all, offered, settings, signal, answerNow);
    const sees = () => this.sees();
    yield* answerWithTools({ messages, tools: toolbox, maxCalls, signal, sees, turn });
  }

  async *#turn(
    messages: readonly ClientMessage[],
    tools: readonly ClientTool[],
    settings: ChatSettings,
    signal: AbortSignal,
    answerNow?: AbortSignal,
  ): AsyncGenerator<ChatEvent> {
    const { system, parameters, think, format } = settings;
    const { name: model } = this.#facts;
    const hasImages = messages.some(({ isOfResults }) => isOfResults);
    const isBlind = hasImages && !(await this.sees());
    const said = isBlind ? messages.filter(({ isOfResults }) => !isOfResults) : messages;
    const all: ClientMessage[] =
      system === undefined ? [...said] : [{ role: "system", content: system }, ...said];
    const { keepalive: keepAlive } = this.#flags;
    const options = {
      model,
      signal,
      ...(answerNow !== undefined && { answerNow }),
      parameters,
      ...(keepAlive !== undefined && { keepAlive }),
      ...(think !== undefined && { think }),
      ...(format !== undefined && { format }),
      tools,
    };
    for await (const event of this.#link.ask(signal, (client) => client.chat(all, options))) {
      // Before the last event, as nothing is requested after it.
      if (event.type === "done") await this.#learnWindow(settings);
      if (event.type === "warning" && event.kind === "window") {
        if (this.#told.has(event.sentence)) continue;
        this.#told.add(event.sentence);
      }
      yield event;
    }
  }

  async show(topic: ShowTopic): Promise<string> {
    const shown = await showModel(this.#link.client, this.#facts.name);
    return topic === "info" ? formatDescription(describedModel(shown), false) : shown[topic];
  }

  async models(): Promise<readonly ModelChoice[]> {
    const body = await this.#link.client.getJson("/api/tags");
    const list = isRecord(body) && Array.isArray(body.models) ? body.models : [];
    return list.filter(isRecord).map(({ name, size }) => ({
      name: shownModel(String(name)),
      sizeText: typeof size === "number" ? formatBytes(size) : "",
    }));
  }

  async use(model: string): Promise<void> {
    this.#facts = await this.#link.client.modelFacts(model);
  }

  async sees(): Promise<boolean> {
    return await seesImages(this.#link.client, this.#facts.name);
  }

  async callsTools(): Promise<boolean> {
    const { name } = this.#facts;
    if (this.#callsTools?.name !== name) {
      const { capabilities } = await showModel(this.#link.client, name);
      this.#callsTools = { name, value: capabilities.includes("tools") };
    }
    return this.#callsTools.value;
  }

  async countTokens(
    messages: readonly ClientMessage[],
    { system, parameters }: ChatSettings,
    signal?: AbortSignal,
    tools = this.#tools?.set.offered.map(toClientTool),
  ): Promise<number> {
    const { name: model } = this.#facts;
    const prompt = { model, system, messages, parameters, ...(tools && { tools }) };
    return await countTokens(this.#link.client, prompt, signal);
  }

  async imageTokens(
    base64: string,
    { parameters }: ChatSettings,
    signal?: AbortSignal,
  ): Promise<number> {
    const { name: model } = this.#facts;
    return await imageTokens(this.#link.client, { model, parameters }, base64, signal);
  }

  async save(
    name: string,
    messages: readonly ClientMessage[],
    { system, parameters }: ChatSettings,
  ): Promise<void> {
    const { name: from } = this.#facts;
    await saveAsModel(this.#link.client, { name, from, system, parameters, messages });
  }

  /** Updates the window's size, which is known once the model is loaded and changes with num_ctx. */
  async #learnWindow({ parameters }: ChatSettings): Promise<void> {
    const { name, contextLength } = this.#facts;
    if (contextLength !== undefined && parameters.num_ctx === undefined) return;
    // Errors leave the size unknown; the answer is complete.
    this.#facts = await this.#link.client.modelFacts(name).catch(() => this.#facts);
  }
}
