// Chat screen: creates the chat's parts and connects them to the frame.

import chalk from "chalk";
import { memo, type ReactElement } from "react";
import { describeError } from "../../../base/product-error.ts";
import { Store } from "../../../base/store.ts";
import { ChatActions } from "../../../chat/chat-actions.ts";
import type { ChatOptions } from "../../../chat/chat-backend.ts";
import { type Command, type CommandSituation, runCommand } from "../../../chat/commands/command.ts";
import { type CallQuestion, callTitle } from "../../../chat/conversation/call-text.ts";
import { storedEntries, wholeConversationOf } from "../../../chat/conversation/transcript-entry.ts";
import { openPromptHistory, type PromptHistory } from "../../../chat/prompt-history.ts";
import type { SessionHead } from "../../../chat/sessions/session.ts";
import { SessionRecorder } from "../../../chat/sessions/session-recorder.ts";
import type { ClientMessage } from "../../../client/chat-events.ts";
import type { ServerWatch } from "../../../client/live/server-watch.ts";
import type { BodySize, BoundCommand, Screen, ScreenContext } from "../../frame/screen.ts";
import { CodeHighlighter } from "../../markdown/code-highlighter.ts";
import { ChatBody } from "./chat-body.tsx";
import { ChatController } from "./chat-controller.ts";
import { conversationSize } from "./chat-layout.ts";
import { ChatSession } from "./chat-session.ts";
import { type ChatState, createChatState, modeOf, noFigures } from "./chat-state.ts";
import type { ChatParts } from "./chat-view.ts";
import { isValidIn, situationOf } from "./commands/command-situation.ts";
import { commandTable } from "./commands/command-table.ts";
import { FirstModelsList } from "./first-models.ts";
import { Scrollback } from "./inline-chat.tsx";
import { activityText } from "./status-text.ts";
import { defaultExamplePrompts } from "./transcript/empty-chat.tsx";
import { PrintedEntries } from "./transcript/printed-entries.ts";
import { readerLines } from "./transcript/reader-lines.ts";
import { TranscriptLayout } from "./transcript/transcript-layout.ts";

export class ChatScreen implements Screen {
  readonly id = "chat";
  readonly title = "Chat";
  readonly #store: Store<ChatState>;
  readonly #chat: ChatParts;
  readonly #controller: ChatController;
  readonly #recorder: SessionRecorder | undefined;
  readonly #options: ChatOptions;
  readonly #watch: ServerWatch | undefined;
  #isActive = false;

  readonly Body = memo((size: BodySize): ReactElement => {
    return <ChatBody chat={this.#chat} columns={size.columns} rows={size.rows} />;
  });

  readonly Scrollback = memo(({ columns }: { readonly columns: number }): ReactElement => {
    return <Scrollback chat={this.#chat} columns={columns} />;
  });

  private constructor(
    options: ChatOptions,
    history: PromptHistory,
    { clock, frame, isAscii, layout }: ScreenContext,
    watch: ServerWatch | undefined,
  ) {
    const { backend, settings, sessions, folder = process.cwd() } = options;
    this.#options = options;
    this.#watch = watch;
    const store = new Store(createChatState(settings, history.entries));
    this.#store = store;
    const warn = (text: string) => store.update({ notice: { text, isWarning: true } });
    if (options.tools !== undefined) options.tools.tell = warn;
    const recorder =
      sessions &&
      new SessionRecorder(sessions, clock, {
        tell: warn,
        onListChanged: () => void this.#listSaved(),
      });
    this.#recorder = recorder;
    const actions = new ChatActions({
      backend,
      recorder,
      read: () => store.get(),
      change: (change) => {
        const conversation = store.get().conversation + (change.entries === undefined ? 0 : 1);
        store.update({ ...change, conversation });
      },
      onNewChat: () => options.tools?.forgetChat(),
      onSwitched: () => store.update(noFigures),
      folder,
    });
    this.#chat = {
      store,
      backend,
      examplePrompts: options.examplePrompts ?? defaultExamplePrompts,
      layout: this.#createLayout(isAscii, folder),
      printed: new PrintedEntries(),
      folder,
      watch,
      head: () => recorder?.head,
      session: new ChatSession({
        backend,
        store,
        clock,
        tools: options.tools,
        onSaid: () => this.#said(),
        onAsked: (question) => this.#asked(question),
        onEnded: (state) => this.#controller.composer.sender.answerEnded(state),
      }),
      actions,
      frame,
      clock,
      historyFile: history.file,
      firstModels:
        options.firstModels &&
        new FirstModelsList({
          models: options.firstModels,
          store,
          clock,
          use: (name) => this.accept(name),
          warn,
        }),
      goElsewhere: options.goElsewhere,
      tools: options.tools,
      warn,
      size: () => {
        const hasFigures = layout === "window" && watch !== undefined;
        return conversationSize(frame.bodySize(), hasFigures);
      },
      isRead: layout === "reader",
    };
    this.#controller = new ChatController(this.#chat);
  }

  /** @param watch the server; undefined for a deployment */
  static async open(
    options: ChatOptions,
    context: ScreenContext,
    watch?: ServerWatch,
  ): Promise<ChatScreen> {
    const { historyFile } = options;
    const history = await openPromptHistory(historyFile);
    const screen = new ChatScreen(options, history, context, watch);
    if (historyFile !== undefined && history.file === undefined) {
      screen.notify(`Cannot read the prompt history ${historyFile}; starting without it`);
    }
    const stored = screen.#showStored();
    if (options.session !== undefined) await stored;
    await screen.#resume();
    screen.#offerModels();
    return screen;
  }

  get transcript(): ClientMessage[] {
    return wholeConversationOf(this.#store.get().entries);
  }

  get saved(): SessionHead | undefined {
    return this.#recorder?.head;
  }

  /** Other screens pass a model to chat with. */
  accept(model: string): void {
    const { facts } = this.#options.backend;
    if (model === facts.name) return;
    const controller = this.#controller;
    if (this.#chat.session.isBusy) {
      this.#chat.warn(`Still answering: wait, then use /model ${model}`);
      return;
    }
    void controller.actions.switchModel(model).then(
      (sentence) => controller.print(sentence),
      (error: unknown) => this.#chat.warn(describeError(error)),
    );
  }

  /** Resumes a saved chat here, whatever its model. */
  async resume({ id, name }: SessionHead): Promise<void> {
    if (this.#recorder?.head?.id === id) return;
    if (this.#chat.session.isBusy) this.notify(`Still answering: wait, then open '${name}'`);
    else await this.#controller.openSessionHere(id);
  }

  notify(sentence: string): void {
    this.#chat.warn(sentence);
  }

  commands(): readonly BoundCommand[] {
    const situation = situationOf(this.#store.get());
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
        return runCommand(command, controller, argument);
      },
    }));
  }

  status(): string {
    const { activity } = this.#store.get();
    const { facts } = this.#options.backend;
    return activity === undefined ? facts.name : activityText(activity, facts);
  }

  isTyping(): boolean {
    const mode = modeOf(this.#store.get());
    return mode === "writing" || mode === "searching";
  }

  type(text: string): void {
    this.#controller.typed();
    this.#controller.composer.insert(text);
  }

  paste(text: string): void {
    this.type(text);
  }

  readerLines(): readonly string[] {
    return readerLines(this.#store.get().entries);
  }

  subscribe(listener: () => void): () => void {
    return this.#store.subscribe(listener);
  }

  activate(): void {
    this.#isActive = true;
    this.#watch?.start();
    void this.#listSaved();
  }

  /** An answer continues while another screen is in front. */
  deactivate(): void {
    this.#isActive = false;
  }

  /** Text that was typed and not sent can be restored with Up next time. */
  async close(): Promise<void> {
    this.#chat.session.stop();
    this.#chat.firstModels?.close();
    const { editor, settings } = this.#store.get();
    const isDraft = editor.text.trim() !== "" && settings.keepsHistory !== false;
    // The screen is gone: a failure cannot be shown.
    if (isDraft) await this.#chat.historyFile?.append(editor.text).catch(() => {});
    await this.#recorder?.settled();
    await this.#chat.historyFile?.settled();
  }

  /** Shows a call that waits for a decision, and tells about it on other screens. */
  #asked(question: CallQuestion | undefined): void {
    this.#controller.decisions.show(question);
    if (question === undefined || this.#isActive) return;
    const { server, name } = question.tool;
    this.#chat.frame.notify(`${callTitle({ server, name })} waits for your decision: Alt+1`);
  }

  #createLayout(isAscii: boolean, folder: string): TranscriptLayout {
    const layout: TranscriptLayout = new TranscriptLayout({
      highlighter: new CodeHighlighter(() => {
        layout.forget();
        this.#store.update({});
      }),
      drawsImages: chalk.level > 0 && !isAscii,
      timeText,
      folder,
    });
    return layout;
  }

  /** Adds the messages stored with the model once they are loaded. */
  async #showStored(): Promise<void> {
    const { messages, backend } = this.#options;
    if (messages === undefined) return;
    const { name } = backend.facts;
    try {
      const stored = storedEntries(await messages);
      // They belong to a model that is no longer in use.
      if (backend.facts.name !== name || stored.length === 0) return;
      const { entries } = this.#store.get();
      this.#store.update({ entries: [...stored, ...entries] });
    } catch (error) {
      this.notify(`Cannot show the messages stored with ${name}: ${describeError(error)}`);
    }
  }

  /** A list to select from is nothing for a screen reader, which gets the command instead. */
  #offerModels(): void {
    const { firstModels, isRead } = this.#chat;
    if (firstModels === undefined || this.#store.get().entries.length > 0) return;
    if (isRead) this.notify("No model of your own yet: modelctl recommend lists some.");
    else firstModels.open();
  }

  async #resume(): Promise<void> {
    const { session } = this.#options;
    if (session === undefined || this.#recorder === undefined) return;
    if ("id" in session) await this.#controller.openSessionHere(session.id);
    else this.#recorder.startNew(session.name);
  }

  #said(): void {
    this.#chat.actions.record();
    if (this.#store.get().activity !== undefined) return;
    void this.#recorder?.settled().then(() => this.#listSaved());
  }

  /** An unreadable list leaves the pane unchanged. */
  async #listSaved(): Promise<void> {
    const list = await this.#options.sessions?.list().catch(() => undefined);
    if (list !== undefined) this.#store.update({ saved: list.sessions });
  }
}

/** Typed commands say if they may run during an answer; keys have their own conditions. */
function waitsForAnswer(
  { keys, isAllowedWhileBusy = false }: Pick<Command, "keys" | "isAllowedWhileBusy">,
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
