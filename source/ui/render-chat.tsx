// Opens the chat on the whole terminal, runs it, and gives the terminal back as it was.

import { type Instance, render } from "ink";
import { systemClock } from "../base/clock.ts";
import { ChatApp } from "./chat-app.tsx";
import type { ChatScreenOptions, ChatScreenResult } from "./chat-backend.ts";
import { PromptHistoryFile, readPromptHistory } from "./editor/prompt-history.ts";
import { ChatController } from "./state/chat-controller.ts";
import { ChatSession } from "./state/chat-session.ts";
import { type ChatState, conversationOf, createChatState } from "./state/chat-state.ts";
import { Store } from "./state/store.ts";
import { selectGlyphs } from "./theme.ts";
import { defaultExamplePrompts } from "./view/empty-rows.ts";
import { ScreenModel } from "./view/screen-model.ts";

export type {
  ChatBackend,
  ChatScreenOptions,
  ChatScreenResult,
  ChatSettings,
} from "./chat-backend.ts";

const framesPerSecondMaximum = 20;
const endingSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs the chat until the person leaves. Resolves after the terminal has been restored; rejects
 * only with a defect of the screen itself.
 */
export async function runChatScreen(options: ChatScreenOptions): Promise<ChatScreenResult> {
  const { backend, version } = options;
  const stdin = options.stdin ?? process.stdin;
  const stdout = options.stdout ?? process.stdout;
  const glyphs = selectGlyphs(options.environment ?? process.env, process.platform);
  const examplePrompts = options.examplePrompts ?? defaultExamplePrompts;
  const history = await loadHistory(options.historyFile);
  const store = new Store<ChatState>(
    createChatState(options.settings, options.messages ?? [], history.entries),
  );
  if (history.problem !== undefined) store.update({ notice: history.problem });
  const session = new ChatSession(backend, store, systemClock);
  const model = new ScreenModel({ backend, version, glyphs, examplePrompts });

  let ending: Pick<ChatScreenResult, "reason" | "signal"> = { reason: "interrupted" };
  let instance: Instance | undefined;
  const leave = (reason: ChatScreenResult["reason"], signal?: NodeJS.Signals): void => {
    ending = signal === undefined ? { reason } : { reason, signal };
    session.stop();
    instance?.unmount();
  };
  const controller = new ChatController({
    store,
    session,
    model,
    historyFile: history.file,
    examplePrompts,
    clock: systemClock,
    // A terminal that does not know its size counts as the classic one, as in Ink.
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    eraseScreen: () => instance?.clear(),
    leave,
  });
  const stopWatching = watchForEnd(stdin, stdout, (signal) => leave("interrupted", signal));
  try {
    instance = render(
      <ChatApp
        store={store}
        controller={controller}
        model={model}
        facts={backend.facts}
        glyphs={glyphs}
      />,
      inkOptions(options, stdin, stdout),
    );
    await instance.waitUntilExit();
    // Plain lines stay on the terminal, and the last one is still open.
    if (options.isScreenReader ?? isScreenReaderWanted()) stdout.write("\n");
  } finally {
    stopWatching();
    session.stop();
    await history.file?.settled();
  }
  return { ...ending, transcript: conversationOf(store.get().entries) };
}

/** The variable that Ink itself looks at. */
function isScreenReaderWanted(): boolean {
  return process.env.INK_SCREEN_READER === "true";
}

function inkOptions(
  { isScreenReader = isScreenReaderWanted() }: ChatScreenOptions,
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
): Parameters<typeof render>[1] {
  return {
    stdin,
    stdout,
    alternateScreen: !isScreenReader,
    isScreenReaderEnabled: isScreenReader,
    incrementalRendering: true,
    maxFps: framesPerSecondMaximum,
    exitOnCtrlC: false,
    // Without this a CI variable, even an empty one, would keep the screen black until the end.
    interactive: true,
    kittyKeyboard: { mode: "auto" },
  };
}

/**
 * Calls `end` on a signal or when the terminal goes away.
 * @returns takes the listeners off again
 */
function watchForEnd(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  end: (signal?: NodeJS.Signals) => void,
): () => void {
  const onClosed = (): void => end();
  for (const signal of endingSignals) process.on(signal, end);
  stdin.on("end", onClosed);
  stdin.on("error", onClosed);
  stdout.on("error", onClosed);
  return () => {
    for (const signal of endingSignals) process.off(signal, end);
    stdin.off("end", onClosed);
    stdin.off("error", onClosed);
    stdout.off("error", onClosed);
  };
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
