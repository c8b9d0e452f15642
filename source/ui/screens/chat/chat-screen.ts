// The chat as a screen of the frame.

import chalk from "chalk";
import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type { ClientMessage } from "../../../client/chat-events.ts";
import type { SessionHead } from "../../../sessions/session.ts";
import type { ChatOptions } from "../../chat-backend.ts";
import { type Command, type CommandSituation, isValidIn } from "../../commands/command.ts";
import { commandTable } from "../../commands/command-table.ts";
import { PromptHistoryFile, readPromptHistory } from "../../editor/prompt-history.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  PaintedScreen,
  ScreenPicture,
  StyledRow,
} from "../../frame/screen.ts";
import type { ConversationFigures } from "../../live/engine-figures.ts";
import { CodeHighlighter } from "../../markdown/code-highlighter.ts";
import { ChatActions } from "../../state/chat-actions.ts";
import { ChatController } from "../../state/chat-controller.ts";
import { ChatSession } from "../../state/chat-session.ts";
import { type ChatState, createChatState, modeOf } from "../../state/chat-state.ts";
import { SessionRecorder } from "../../state/session-recorder.ts";
import { Store } from "../../state/store.ts";
import { storedEntries, wholeConversationOf } from "../../state/transcript-entry.ts";
import { asciiGlyphs, type Glyphs } from "../../theme.ts";
import { defaultExamplePrompts } from "../../view/empty-rows.ts";
import { ScreenModel } from "../../view/screen-model.ts";
import { activityText, statusRow } from "../../view/status-text.ts";
import { sessionsPane } from "./sessions-pane.ts";
import { harmless, spokenTranscript } from "./spoken-transcript.ts";

export interface ChatScreenContext {
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
}

/** Cells that a spoken line may have: it is not cut. */
const spokenWidth = 1000;
/** How many answers the middle of the waiting times is taken of. */
const waitsKept = 50;

export class ChatScreen implements PaintedScreen {
  readonly id = "chat";
  readonly title = "Chat";
  readonly #store: Store<ChatState>;
  readonly #session: ChatSession;
  readonly #model: ScreenModel;
  readonly #controller: ChatController;
  readonly #recorder: SessionRecorder | undefined;
  readonly #history: PromptHistoryFile | undefined;
  readonly #options: ChatOptions;
  readonly #context: ChatScreenContext;
  #size: BodySize = { columns: 80, rows: 22 };
  /** Saved chats for the pane beside the messages, the last used first. */
  #saved: readonly SessionHead[] = [];
  #waitsMs: number[] = [];

  private constructor(options: ChatOptions, history: LoadedHistory, context: ChatScreenContext) {
    const { backend, settings, messages, sessions, folder = process.cwd() } = options;
    const { glyphs, clock, frame } = context;
    const examplePrompts = options.examplePrompts ?? defaultExamplePrompts;
    this.#options = options;
    this.#context = context;
    this.#history = history.file;
    const store = new Store(
      createChatState(
        settings,
        messages instanceof Promise ? [] : (messages ?? []),
        history.entries,
      ),
    );
    this.#store = store;
    if (history.problem !== undefined) store.update({ notice: history.problem });
    this.#recorder =
      sessions && new SessionRecorder(sessions, clock, (notice) => store.update({ notice }));
    const actions = new ChatActions({
      backend,
      keeping:
        sessions && this.#recorder ? { store: sessions, recorder: this.#recorder } : undefined,
      read: () => store.get(),
      change: (change) => store.update(change),
      folder,
    });
    this.#session = new ChatSession({ backend, store, clock, onSaid: () => this.#said(actions) });
    this.#model = new ScreenModel({
      backend,
      glyphs,
      examplePrompts,
      highlighter: new CodeHighlighter(() => {
        this.#model.forgetRows();
        store.update({});
      }),
      drawsImages: chalk.level > 0 && !glyphs.isAscii,
      timeText,
    });
    this.#controller = new ChatController({
      store,
      session: this.#session,
      actions,
      backend,
      model: this.#model,
      historyFile: history.file,
      examplePrompts,
      clock,
      size: () => this.#size,
      frame,
      goElsewhere: options.goElsewhere,
    });
  }

  static async open(options: ChatOptions, context: ChatScreenContext): Promise<ChatScreen> {
    const screen = new ChatScreen(options, await loadHistory(options.historyFile), context);
    const stored = screen.#showStored();
    if (options.session !== undefined) await stored;
    await screen.#resume();
    return screen;
  }

  /** What is known of the last answer, or of the one that runs. */
  figures(): ConversationFigures {
    const { activity, figures, contextTokens } = this.#store.get();
    const { name, loadedAs, contextLength } = this.#options.backend.facts;
    const running = activity?.phase.kind === "answering" ? activity.phase : undefined;
    const statistics = activity === undefined ? figures?.statistics : undefined;
    const computedTokens = statistics && statistics.promptTokens - statistics.cachedTokens;
    return {
      model: name,
      loadedAs,
      ttftMs: running?.ttftMs ?? figures?.ttftMs,
      ttftMedianMs: median(this.#waitsMs),
      tokensPerSecond: running?.tokensPerSecond,
      promptTokensPerSecond:
        statistics && computedTokens && statistics.promptMs > 0
          ? (computedTokens * 1000) / statistics.promptMs
          : undefined,
      contextTokens,
      contextLength,
    };
  }

  /** The conversation without the system message. */
  get transcript(): ClientMessage[] {
    return wholeConversationOf(this.#store.get().entries);
  }

  /** Other screens name a model to go on with. */
  accept(model: string): void {
    const { facts } = this.#options.backend;
    if (model === facts.name) return;
    const controller = this.#controller;
    if (this.#session.isBusy) {
      controller.notify(`Still answering: /model ${model} goes on with that model afterwards`);
      return;
    }
    void controller.actions.switchModel(model).then(
      (sentence) => controller.print(sentence),
      (error: unknown) => controller.notify(describeError(error)),
    );
  }

  /** A saved chat goes on here, whoever it was with. */
  async goOnWith({ id, name }: SessionHead): Promise<void> {
    if (this.#recorder?.head?.id === id) return;
    if (this.#session.isBusy) this.notify(`Still answering: '${name}' can be opened afterwards`);
    else await this.#controller.openSessionHere(id);
  }

  /** For the person who looks at this chat. */
  notify(sentence: string): void {
    this.#controller.notify(sentence);
  }

  commands(): readonly BoundCommand[] {
    const situation = this.#model.situation(this.#store.get());
    const controller = this.#controller;
    return commandTable.map((command) => ({
      ...command,
      hint: () => {
        if (!(command.hintWhen?.(situation) ?? true)) return undefined;
        return typeof command.hint === "function" ? command.hint(situation) : command.hint;
      },
      isValid: () => isValidIn(command, situation) && !waitsForAnswer(command, situation),
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

  aside(size: BodySize): readonly StyledRow[] {
    const { glyphs, clock } = this.#context;
    const { settings } = this.#store.get();
    const head = this.#recorder?.head;
    // It may have been named since the list was read.
    const saved = this.#saved.map((one) =>
      one.id === head?.id ? { ...one, name: head.name } : one,
    );
    const facts = { saved, current: head?.id, settings, nowMs: clock.wallMs() };
    return sessionsPane(facts, size, glyphs);
  }

  status(): string {
    const { activity } = this.#store.get();
    const { facts } = this.#options.backend;
    return activity === undefined
      ? facts.name
      : activityText(activity, facts, this.#context.glyphs);
  }

  isTyping(): boolean {
    return modeOf(this.#store.get()) !== "reading";
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

  activate(): void {
    void this.#listSaved();
  }

  /** An answer goes on while another screen is in sight. */
  deactivate(): void {}

  /** What was typed and not sent can be had back with Up, the next time. */
  async close(): Promise<void> {
    this.#session.stop();
    const { editor, settings } = this.#store.get();
    const isDraft = editor.text.trim() !== "" && settings.keepsHistory !== false;
    // The screen is gone: nobody could be told of a failure.
    if (isDraft) await this.#history?.append(editor.text).catch(() => {});
    await this.#recorder?.settled();
    await this.#history?.settled();
  }

  /** Messages that are stored with the model, once they are here. */
  async #showStored(): Promise<void> {
    const { messages, backend } = this.#options;
    if (!(messages instanceof Promise)) return;
    const { name } = backend.facts;
    try {
      const stored = storedEntries(await messages);
      // They belong to a model that is chatted with no more.
      if (backend.facts.name !== name || stored.length === 0) return;
      const { entries } = this.#store.get();
      this.#store.update({ entries: [...stored, ...entries] });
    } catch (error) {
      this.notify(`What is stored with ${name} cannot be shown: ${describeError(error)}`);
    }
  }

  async #resume(): Promise<void> {
    const { session } = this.#options;
    if (session === undefined || this.#recorder === undefined) return;
    if ("id" in session) await this.#controller.openSessionHere(session.id);
    else this.#recorder.startNew(session.name);
  }

  #said(actions: ChatActions): void {
    actions.record();
    const { activity, figures } = this.#store.get();
    if (activity !== undefined) return;
    if (figures?.ttftMs !== undefined) {
      this.#waitsMs = [...this.#waitsMs, figures.ttftMs].slice(-waitsKept);
    }
    void this.#recorder?.settled().then(() => this.#listSaved());
  }

  /** A list that cannot be read leaves the pane as it was. */
  async #listSaved(): Promise<void> {
    const list = await this.#options.sessions?.list().catch(() => undefined);
    if (list === undefined) return;
    this.#saved = list.sessions;
    this.#store.update({});
  }
}

/** Those that are typed say so themselves; keys have their own conditions. */
function waitsForAnswer(
  { keys, isAllowedWhileBusy = false }: Command,
  { isBusy }: CommandSituation,
): boolean {
  return isBusy && keys.length === 0 && !isAllowedWhileBusy;
}

const clockTime = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});

function timeText(atMs: number): string {
  return clockTime.format(atMs);
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
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
