// The chat as a screen of the frame.

import type { Clock } from "../../../base/clock.ts";
import type { ClientMessage } from "../../../client/chat-events.ts";
import type { ChatOptions } from "../../chat-backend.ts";
import { commandTable } from "../../commands/command-table.ts";
import { PromptHistoryFile, readPromptHistory } from "../../editor/prompt-history.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  Screen,
  ScreenPicture,
} from "../../frame/screen.ts";
import type { ConversationFigures } from "../../live/engine-pane.ts";
import { ChatController } from "../../state/chat-controller.ts";
import { ChatSession } from "../../state/chat-session.ts";
import { type ChatState, conversationOf, createChatState } from "../../state/chat-state.ts";
import { Store } from "../../state/store.ts";
import { asciiGlyphs, type Glyphs } from "../../theme.ts";
import { defaultExamplePrompts } from "../../view/empty-rows.ts";
import { ScreenModel } from "../../view/screen-model.ts";
import { activityText, statusRow } from "../../view/status-text.ts";
import { harmless, spokenTranscript } from "./spoken-transcript.ts";

export interface ChatScreenContext {
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
}

/** Cells that a spoken line may have: it is not cut. */
const spokenWidth = 1000;

export class ChatScreen implements Screen {
  readonly id = "chat";
  readonly title = "Chat";
  readonly #store: Store<ChatState>;
  readonly #session: ChatSession;
  readonly #model: ScreenModel;
  readonly #controller: ChatController;
  readonly #history: PromptHistoryFile | undefined;
  readonly #options: ChatOptions;
  readonly #glyphs: Glyphs;
  #size: BodySize = { columns: 80, rows: 22 };

  private constructor(options: ChatOptions, history: LoadedHistory, context: ChatScreenContext) {
    const { backend, settings, messages = [] } = options;
    const { glyphs, clock, frame } = context;
    const examplePrompts = options.examplePrompts ?? defaultExamplePrompts;
    this.#options = options;
    this.#glyphs = glyphs;
    this.#history = history.file;
    this.#store = new Store(createChatState(settings, messages, history.entries));
    if (history.problem !== undefined) this.#store.update({ notice: history.problem });
    this.#session = new ChatSession(backend, this.#store, clock);
    this.#model = new ScreenModel({ backend, glyphs, examplePrompts });
    this.#controller = new ChatController({
      store: this.#store,
      session: this.#session,
      model: this.#model,
      historyFile: history.file,
      examplePrompts,
      clock,
      size: () => this.#size,
      frame,
    });
  }

  static async open(options: ChatOptions, context: ChatScreenContext): Promise<ChatScreen> {
    return new ChatScreen(options, await loadHistory(options.historyFile), context);
  }

  /** What is known of the last answer, or of the one that runs. */
  figures(): ConversationFigures {
    const { activity, figures } = this.#store.get();
    const { name, contextLength } = this.#options.backend.facts;
    const running = activity?.phase.kind === "answering" ? activity.phase : undefined;
    const statistics = activity === undefined ? figures?.statistics : undefined;
    const computedTokens = statistics && statistics.promptTokens - statistics.cachedTokens;
    return {
      model: name,
      ttftMs: running?.ttftMs ?? figures?.ttftMs,
      ttftMedianMs: undefined,
      tokensPerSecond: running?.tokensPerSecond,
      promptTokensPerSecond:
        statistics && computedTokens && statistics.promptMs > 0
          ? (computedTokens * 1000) / statistics.promptMs
          : undefined,
      contextTokens: statistics && statistics.promptTokens + statistics.completionTokens,
      contextLength,
    };
  }

  /** The conversation without the system message. */
  get transcript(): ClientMessage[] {
    return conversationOf(this.#store.get().entries);
  }

  commands(): readonly BoundCommand[] {
    const situation = this.#model.situation(this.#store.get(), this.#size);
    const controller = this.#controller;
    return commandTable.map((command) => ({
      ...command,
      hint: () => {
        if (!(command.hintWhen?.(situation) ?? true)) return undefined;
        return typeof command.hint === "function" ? command.hint(situation) : command.hint;
      },
      isValid: () => command.when?.(situation) ?? true,
      run: (argument) => {
        controller.clearNotice();
        return command.run(controller, argument);
      },
    }));
  }

  picture(size: BodySize): ScreenPicture {
    this.#size = size;
    return this.#model.picture(this.#store.get(), size);
  }

  status(): string {
    const { activity } = this.#store.get();
    const { facts } = this.#options.backend;
    return activity === undefined ? facts.name : activityText(activity, facts, this.#glyphs);
  }

  isTyping(): boolean {
    return true;
  }

  type(text: string): void {
    this.#controller.insert(text);
  }

  paste(text: string): void {
    this.#controller.insert(text);
  }

  readerLines(): readonly string[] {
    return spokenTranscript(this.#store.get().entries).finished;
  }

  readerFooter(): readonly string[] {
    const state = this.#store.get();
    const { facts } = this.#options.backend;
    const status = state.notice ?? statusRow(state, facts, asciiGlyphs, spokenWidth).text;
    const { open } = spokenTranscript(state.entries);
    return [...open, `Status: ${status}`, `Message: ${harmless(state.editor.text)}`];
  }

  subscribe(listener: () => void): () => void {
    return this.#store.subscribe(listener);
  }

  activate(): void {}

  /** An answer goes on while another screen is in sight. */
  deactivate(): void {}

  async close(): Promise<void> {
    this.#session.stop();
    await this.#history?.settled();
  }
}

interface LoadedHistory {
  readonly entries: readonly string[];
  readonly file: PromptHistoryFile | undefined;
  /** Why there is no history, if there should be one. */
  readonly problem: string | undefined;
}

/** A history that cannot be read is told about and left alone: a chat works without one. */
async function loadHistory(path: string | undefined): Promise<LoadedHistory> {
  if (path === undefined) return { entries: [], file: undefined, problem: undefined };
  try {
    const entries = await readPromptHistory(path);
    return { entries, file: new PromptHistoryFile(path), problem: undefined };
  } catch {
    const problem = `The prompt history ${path} cannot be read; it is not used`;
    return { entries: [], file: undefined, problem };
  }
}
