// Creates the context of a chat, and connects its services.

import chalk from "chalk";
import { Store } from "../../../base/store.ts";
import { ChatActions } from "../../../chat/chat-actions.ts";
import type { ChatOptions } from "../../../chat/chat-backend.ts";
import { type CallQuestion, callTitle } from "../../../chat/conversation/call-text.ts";
import type { PromptHistory } from "../../../chat/prompt-history.ts";
import { SessionRecorder } from "../../../chat/sessions/session-recorder.ts";
import type { ServerWatch } from "../../../client/live/server-watch.ts";
import type { ScreenContext } from "../../frame/screen.ts";
import { CodeHighlighter } from "../../markdown/code-highlighter.ts";
import type { ChatContext } from "./chat-context.ts";
import { conversationSize } from "./chat-layout.ts";
import { ChatSession } from "./chat-session.ts";
import { createChatState, noFigures } from "./chat-state.ts";
import { typedContext } from "./commands/typed-context.ts";
import { answerEnded } from "./composer/prompt-actions.ts";
import { listSaved, switchModel } from "./conversation-actions.ts";
import { FirstModelsList } from "./first-models.ts";
import { showQuestion } from "./tools/tool-decisions.ts";
import { defaultExamplePrompts } from "./transcript/empty-chat.tsx";
import { PrintedEntries } from "./transcript/printed-entries.ts";
import { TranscriptLayout } from "./transcript/transcript-layout.ts";

/** @param watch the server; undefined for a deployment */
export function createChat(
  options: ChatOptions,
  { clock, frame, isAscii, layout }: ScreenContext,
  history: PromptHistory,
  watch: ServerWatch | undefined,
): ChatContext {
  const { backend, sessions, tools, firstModels, folder = process.cwd() } = options;
  const store = new Store(createChatState(options.settings, history.entries));
  const notice = (text: string, isWarning: boolean) =>
    void store.update({ notice: { text, isWarning } });
  const warn = (text: string) => notice(text, true);
  if (tools !== undefined) tools.tell = warn;
  const onListChanged = () => void listSaved(chat);
  const recorder = sessions && new SessionRecorder(sessions, clock, { tell: warn, onListChanged });
  const chat: ChatContext = {
    store,
    get state() {
      return store.get();
    },
    backend,
    tools,
    frame,
    clock,
    watch,
    recorder,
    folder,
    warn,
    notify: (text) => notice(text, false),
    historyFile: history.file,
    goElsewhere: options.goElsewhere,
    examplePrompts: options.examplePrompts ?? defaultExamplePrompts,
    layout: createLayout(isAscii, folder),
    printed: new PrintedEntries(),
    head: () => recorder?.head,
    size: () => conversationSize(frame.bodySize(), layout === "window" && watch !== undefined),
    isRead: layout === "reader",
    isActive: false,
    actions: new ChatActions({
      backend,
      recorder,
      folder,
      read: () => store.get(),
      change: (change) => {
        const conversation = store.get().conversation + (change.entries === undefined ? 0 : 1);
        store.update({ ...change, conversation });
      },
      onNewChat: () => tools?.forgetChat(),
      onSwitched: () => store.update(noFigures),
    }),
    session: new ChatSession({
      backend,
      store,
      clock,
      tools,
      onSaid: () => {
        chat.actions.record();
        if (chat.state.activity === undefined) void recorder?.settled().then(onListChanged);
      },
      onAsked: (question) => {
        showQuestion(chat, question);
        if (question !== undefined && !chat.isActive) frame.notify(waitingText(question));
      },
      onEnded: (state) => answerEnded(chat, state),
    }),
    firstModels:
      firstModels &&
      new FirstModelsList({
        models: firstModels,
        store,
        clock,
        warn,
        use: (name) => switchModel(chat, name),
      }),
    get typed() {
      return typed;
    },
    opening: undefined,
    heldBack: undefined,
    copied: undefined,
    interruptedAtMs: -Infinity,
    escapedAtMs: -Infinity,
  };
  const typed = typedContext(chat);
  return chat;
}

function waitingText({ tool: { server, name } }: CallQuestion): string {
  return `${callTitle({ server, name })} waits for your decision: Alt+1`;
}

function createLayout(isAscii: boolean, folder: string): TranscriptLayout {
  const layout: TranscriptLayout = new TranscriptLayout({
    highlighter: new CodeHighlighter(() => layout.forget()),
    drawsImages: chalk.level > 0 && !isAscii,
    timeText: (atMs) => clockTime.format(atMs),
    folder,
  });
  return layout;
}

const clockTime = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});
