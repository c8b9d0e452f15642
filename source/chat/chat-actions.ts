// Actions on a chat besides sending messages, for the full screen and the line chat.

import { writeFile } from "node:fs/promises";
import { shownModel } from "../base/display-text.ts";
import { modelFilePath, toAbsolutePath } from "../base/file-path.ts";
import { formatRelativeTime } from "../base/formats.ts";
import { shortText } from "../base/graphemes.ts";
import { describeError } from "../base/product-error.ts";
import { plural } from "../base/quantities.ts";
import { systemCode } from "../base/write-refusal.ts";
import type { ChatBackend, ChatSettings, ShowTopic } from "./chat-backend.ts";
import { formatParameters, valueText } from "./commands/model-parameters.ts";
import type { ModelTexts } from "./commands/settings-table.ts";
import {
  type ExportedChat,
  exportFormat,
  toJson,
  toMarkdown,
} from "./conversation/export-conversation.ts";
import {
  conversationOf,
  type TranscriptEntry,
  wholeConversationOf,
} from "./conversation/transcript-entry.ts";
import type { SessionHead } from "./sessions/session.ts";
import type { ChatSnapshot, SessionRecorder } from "./sessions/session-recorder.ts";
import type { FoundSession } from "./sessions/session-store.ts";

export interface ChatDocument {
  readonly entries: readonly TranscriptEntry[];
  readonly settings: ChatSettings;
}

export interface ChatActionsOptions {
  readonly backend: ChatBackend;
  /** Undefined when chats are not saved. */
  readonly recorder: SessionRecorder | undefined;
  readonly read: () => ChatDocument;
  readonly change: (change: Partial<ChatDocument>) => void;
  /** Called before another chat begins or is resumed. */
  readonly onNewChat?: (() => void) | undefined;
  /** Called after a switch to another model. */
  readonly onSwitched?: () => void;
  /** Relative paths start here. */
  readonly folder: string;
}

export class ChatActions {
  readonly #options: ChatActionsOptions;

  constructor(options: ChatActionsOptions) {
    this.#options = options;
  }

  get settings(): ChatSettings {
    return this.#options.read().settings;
  }

  get folder(): string {
    return this.#options.folder;
  }

  get exported(): ExportedChat {
    const { backend, recorder, read } = this.#options;
    return { name: recorder?.name ?? "Chat", model: backend.facts.name, ...read() };
  }

  get #backend(): ChatBackend {
    return this.#options.backend;
  }

  /** @throws Error when chats are not saved */
  get #recorder(): SessionRecorder {
    const { recorder } = this.#options;
    if (recorder === undefined)
      throw new Error("Chats are not saved: the setting nohistory is on.");
    return recorder;
  }

  changeSettings(settings: ChatSettings): void {
    this.#options.change({ settings });
    this.record();
  }

  /** Saves the chat as it is now; the recorder reports failures. */
  record(): void {
    const { backend, recorder, read } = this.#options;
    const { entries, settings } = read();
    if (settings.keepsHistory === false) return;
    const { facts, deployment } = backend;
    recorder?.record({ model: facts.name, deployment, entries, settings });
  }

  /**
   * Clears the messages and starts a new chat; the saved chat keeps them.
   * @returns a sentence on the settings that the new one keeps
   */
  clear(name?: string): string {
    this.#options.onNewChat?.();
    this.#options.change({ entries: [] });
    this.#options.recorder?.startNew(name);
    return newChatText(this.settings);
  }

  /** @returns text about the model, or this chat's settings */
  async show(topic: ShowTopic | undefined): Promise<string> {
    const { system, parameters } = this.settings;
    if (topic === undefined) {
      return `System: ${system ?? "the model's own"}\nParameters:\n${formatParameters(parameters)}`;
    }
    const own = (await this.#backend.show(topic)).trimEnd();
    if (topic === "system") {
      return system ?? (own === "" ? "The model has no system prompt." : own);
    }
    if (topic === "parameters") {
      const set = Object.keys(parameters).length === 0 ? "none" : formatParameters(parameters);
      return `Model's parameters:\n${own === "" ? "none" : own}\n\nSet in this chat:\n${set}`;
    }
    return own === "" ? `The model has no ${topic}.` : own;
  }

  /** Returns the model's own parameters; empty when the model is unavailable. */
  async modelTexts(): Promise<ModelTexts> {
    const textOf = async (topic: ShowTopic) =>
      (await this.#backend.show(topic).catch(() => "")).trim();
    return { system: await textOf("system"), parameters: await textOf("parameters") };
  }

  async listModels(): Promise<string> {
    const models = await this.#backend.models();
    const width = Math.max(4, ...models.map(({ name }) => name.length));
    return models.map(({ name, sizeText }) => `${name.padEnd(width)}  ${sizeText}`).join("\n");
  }

  async switchModel(name: string): Promise<string> {
    await this.#use(name);
    this.record();
    return `Switched to ${this.#backend.facts.name}.`;
  }

  /** Switches to another model and starts a new conversation. */
  async loadModel(name: string): Promise<string> {
    await this.#use(name);
    this.clear();
    return `Loaded ${this.#backend.facts.name}; started a new conversation.`;
  }

  /**
   * @param typed a name, and `--force` if an existing model may be replaced
   * @param confirm asks for confirmation before an existing model is replaced
   * @throws Error whose message is a sentence
   */
  async saveModel(typed: string, confirm: (question: string) => Promise<boolean>): Promise<string> {
    const name = typed.replace(/\s+--force$/, "");
    const mayReplace = name !== typed || !(await this.#isTaken(name));
    if (!mayReplace && !(await confirm(`Replace model '${name}'?`))) {
      const hint = `Use /save ${name} --force to replace it.`;
      throw new Error(`A model named '${name}' already exists. ${hint}`);
    }
    const { entries, settings } = this.#options.read();
    const images = entries.some((entry) => entry.kind === "user" && entry.images !== undefined);
    await this.#backend.save(name, wholeConversationOf(entries), settings);
    const without = images ? " Images were left out: models cannot contain them." : "";
    return `Created new model '${name}'.${without}`;
  }

  async #isTaken(name: string): Promise<boolean> {
    const wanted = shownModel(name).toLowerCase();
    return (await this.#backend.models()).some((model) => model.name.toLowerCase() === wanted);
  }

  /** @throws Error whose message is a sentence */
  async exportTo(typed: string): Promise<string> {
    const format = exportFormat(typed);
    if (format === undefined) throw new Error("Use a file name that ends in .md or .json.");
    // A chat gets its name when it is first saved.
    await this.#options.recorder?.settled();
    const file = toAbsolutePath(typed, this.#options.folder);
    const text = format === "json" ? toJson(this.exported) : toMarkdown(this.exported);
    // An export replaces no file.
    await writeFile(file, text, { mode: 0o600, flag: "wx" }).catch((error: unknown) => {
      throw new Error(unwritten(file, error), { cause: error });
    });
    return `Exported to ${file}.`;
  }

  /** Describes how full the window is, counted by the server. */
  async context(): Promise<string> {
    const { entries, settings } = this.#options.read();
    const messages = conversationOf(entries);
    const all = await this.#backend.countTokens(messages, settings);
    const { contextLength } = this.#backend.facts;
    const images = entries.flatMap((entry) => (entry.kind === "user" ? (entry.images ?? []) : []));
    const imageCount = images.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
    const rows = [
      `The next prompt has ${all} tokens before your message${windowText(all, contextLength)}.`,
      plural(messages.length, "message"),
      ...(images.length > 0 ? [`${plural(images.length, "image")} with ${imageCount} tokens`] : []),
      ...(settings.system === undefined ? [] : ["a system prompt set in this chat"]),
    ];
    return rows.join("\n");
  }

  async rename(name: string): Promise<string> {
    await this.#recorder.rename(name);
    return `Renamed this chat to '${name}'.`;
  }

  async fork(name: string | undefined): Promise<string> {
    const forked = await this.#recorder.fork(name);
    return forked === undefined
      ? "Nothing to fork yet."
      : `Forked as '${forked}'; the original chat is unchanged.`;
  }

  /** Returns saved chats, the last used first. @param words that they must contain */
  async sessions(words: string): Promise<readonly FoundSession[]> {
    return (await this.#options.recorder?.store.search(words)) ?? [];
  }

  /** Deletes a saved chat. @throws Error for the open one */
  async removeSession(id: string): Promise<void> {
    if (id === this.#recorder.head?.id) {
      throw new Error("This chat is open. Start another one first (Ctrl+N).");
    }
    await this.#recorder.remove(id);
  }

  /** Finds a saved chat. @throws ProductError `SESSION_NOT_FOUND`, `SESSION_AMBIGUOUS` */
  async findSession(reference: string): Promise<SessionHead> {
    return await this.#recorder.store.find(reference);
  }

  /** True if a saved chat belongs here: to a local model, or to this chat's deployment. */
  belongsHere({ deployment }: Pick<ChatSnapshot, "deployment">): boolean {
    const own = this.#backend.deployment;
    return deployment?.app === own?.app && deployment?.profile === own?.profile;
  }

  /** Resumes a saved chat with its model, settings and messages. */
  async openSession(reference: string): Promise<string> {
    const { id } = await this.findSession(reference);
    const chat = await this.#recorder.open(id);
    this.#options.onNewChat?.();
    this.#options.change({
      entries: chat.entries,
      settings: { ...this.settings, ...chat.settings },
    });
    const { name: before } = this.#backend.facts;
    if (chat.model === before) return `Resumed '${chat.name}'.`;
    if (!this.belongsHere(chat)) {
      return `Resumed '${chat.name}' with ${before} instead of ${chat.model}.`;
    }
    try {
      await this.#use(chat.model);
    } catch (error) {
      const why = describeError(error);
      return `Resumed '${chat.name}' with ${before} instead of its own model: ${why}`;
    }
    return `Resumed '${chat.name}' with ${chat.model}.`;
  }

  async #use(model: string): Promise<void> {
    const { name: before } = this.#backend.facts;
    await this.#backend.use(modelFilePath(model) ?? model);
    if (this.#backend.facts.name !== before) this.#options.onSwitched?.();
  }
}

export function sessionText(
  { id, name, model, updatedAtMs, hit }: FoundSession,
  nowMs: number,
): string {
  const line = `${id}  ${name}  (${model}, ${formatRelativeTime(updatedAtMs, nowMs)})`;
  return hit === undefined ? line : `${line}\n    ${hit}`;
}

/** `New chat. Kept: temperature 0.3, the system prompt "Be brief."` */
function newChatText({ system, parameters }: ChatSettings): string {
  const set = Object.entries(parameters).map(([name, value]) => `${name} ${valueText(value)}`);
  const kept = system === undefined ? set : [...set, `the system prompt "${shortText(system)}"`];
  const begun = system === undefined ? "New chat with the model's own system prompt." : "New chat.";
  return kept.length === 0 ? begun : `${begun} Kept: ${kept.join(", ")}`;
}

function windowText(tokens: number, contextLength: number | undefined): string {
  if (contextLength === undefined) return "";
  const percent = Math.round((tokens / contextLength) * 100);
  return `: ${percent} % of the context window of ${contextLength}`;
}

function unwritten(file: string, error: unknown): string {
  const code = systemCode(error);
  if (code === "EEXIST") return `${file} already exists. Choose another name.`;
  if (code === "ENOENT") return `The folder of ${file} does not exist.`;
  return `Cannot write ${file}: ${describeError(error)}`;
}
