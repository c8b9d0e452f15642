// Opens the chat screen in an in-memory terminal, and closes it after the test.

import { onTestFinished } from "vitest";
import type { AppOptions, AppResult } from "../../../source/ui/app/app-options.ts";
import { runApp } from "../../../source/ui/app/run-app.tsx";
import type { ChatOptions } from "../../../source/ui/screens/chat/chat-backend.ts";
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
  const { columns = 100, rows = 30, historyFile, examplePrompts, settings, messages } = options;
  const { sessions, session, folder, screen = new SizedTerminal(columns, rows) } = options;
  const backend = options.scripted ?? new ScriptedBackend();
  const chat: ChatOptions = {
    backend,
    ...(historyFile !== undefined && { historyFile }),
    ...(examplePrompts !== undefined && { examplePrompts }),
    ...(settings !== undefined && { settings }),
    ...(messages !== undefined && { messages }),
    ...(sessions !== undefined && { sessions }),
    ...(session !== undefined && { session }),
    ...(folder !== undefined && { folder }),
  };
  const result = runApp({
    environment: { LANG: "en_GB.UTF-8" },
    ...options,
    chat,
    stdin: screen.stdin,
    stdout: screen.stdout,
  });
  onTestFinished(async () => {
    screen.hangUp();
    await result;
  });
  const opened = screen.until(options.isScreenReader ? "Message:" : "[1 Chat]");
  // The error of a screen that fails to open is more useful than an empty screen.
  await Promise.race([opened, result.then(() => opened)]);
  return { screen, backend, result };
}

/** Sends a message and waits until the backend has it. */
export async function ask({ screen, backend }: OpenChat, text: string): Promise<void> {
  const before = backend.answers.length;
  screen.type(`${text}\r`);
  await screen.until(() => backend.answers.length > before);
}
