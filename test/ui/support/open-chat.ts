// Opens the chat screen in an in-memory terminal, and closes it after the test.

import type { ChatOptions } from "../../../source/chat/chat-backend.ts";
import type { AppOptions, AppResult } from "../../../source/ui/app/app-options.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { ScriptedBackend } from "./scripted-backend.ts";
import { SizedTerminal } from "./sized-terminal.ts";

export interface OpenChatOptions extends Partial<AppOptions>, Partial<ChatOptions> {
  /** Defaults to a new one. */
  readonly screen?: SizedTerminal;
  readonly columns?: number;
  readonly rows?: number;
  /** Defaults to a new one. */
  readonly scripted?: ScriptedBackend;
}

export interface OpenChat {
  readonly screen: SizedTerminal;
  readonly backend: ScriptedBackend;
  /** Settles when the screen has been closed. */
  readonly result: Promise<AppResult>;
}

/** Starts a chat and waits for its first frame. */
export async function openChat(options: OpenChatOptions = {}): Promise<OpenChat> {
  const { columns = 100, rows = 30, screen = new SizedTerminal(columns, rows) } = options;
  const backend = options.scripted ?? new ScriptedBackend();
  const chat: ChatOptions = { ...options, backend };
  const isSmall = columns < 60 || rows < 16;
  const opened = options.isScreenReader ? "Message:" : isSmall ? "Send a message" : "[1 Chat]";
  const { result } = await runInTerminal(screen, { ...options, chat }, opened);
  return { screen, backend, result };
}

/** Sends a message and waits until the backend has it. */
export async function ask({ screen, backend }: OpenChat, text: string): Promise<void> {
  const before = backend.answers.length;
  screen.type(`${text}\r`);
  await screen.until(() => backend.answers.length > before);
}

/** Asks a question, and waits until its answer has ended. */
export async function say(chat: OpenChat, question: string, answer: string): Promise<void> {
  await ask(chat, question);
  await chat.screen.until("Enter queue");
  chat.backend.current.text(answer).done();
  await chat.screen.until("Enter send");
}
