// Options and result of the full-screen program.

import type { ChatOptions } from "../../chat/chat-backend.ts";
import type { SessionHead } from "../../chat/sessions/session.ts";
import type { ClientMessage } from "../../client/chat-events.ts";
import type { AgentLauncher } from "../frame/frame.ts";
import type { Screen } from "../frame/screen.ts";
import type { ThemeName } from "../frame/themes.ts";
import type { FoundFile } from "../screens/models/models-state.ts";
import type { ServerContext } from "../screens/server/server-state.ts";
import type { CloudAccess } from "./cloud-access.ts";

/** The server behind the screens. */
export interface ServerOptions extends Pick<ServerContext, "client" | "readFilter" | "control"> {
  /** Looks for model files on this machine; undefined for another's server, or if the user forbids it. */
  readonly findFiles?: (() => Promise<readonly FoundFile[]>) | undefined;
}

/** Services behind the screens. */
export interface AppParts {
  /** Undefined: the chat starts once a deployment is chosen. */
  readonly chat?: ChatOptions;
  /** Absent: no live figures and no Server screen. */
  readonly server?: ServerOptions;
  /** Undefined: there are no screens for deployments. */
  readonly cloud?: CloudAccess;
  /**
   * Store of chats with deployments. Defaults to that of `chat`; without either they are not saved.
   */
  readonly kept?: Pick<ChatOptions, "historyFile" | "sessions">;
  /** Absent: agents cannot be launched. */
  readonly agents?: AgentLauncher;
  /** Messages to show at the start. */
  readonly notices?: readonly string[];
}

/** Appearance and terminal. */
export interface ViewOptions {
  /** The name in front of the tabs. Defaults to modelctl. */
  readonly program?: string;
  /** The first screen. Defaults to the chat. */
  readonly first?: Screen["id"];
  /** Defaults to `default`. */
  readonly theme?: ThemeName;
  /** Stays in the terminal's normal buffer, below earlier output. Defaults to false. */
  readonly isInline?: boolean;
  /** Prints plain lines for screen readers. Defaults to the variable INK_SCREEN_READER. */
  readonly isScreenReader?: boolean;
  /** Called with each frame's processor time on the main thread, in milliseconds. */
  readonly onFrame?: (milliseconds: number) => void;
  /** Variables that choose glyphs, editor and pager. Defaults to the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Defaults to the process's own. */
  readonly stdin?: NodeJS.ReadStream;
  /** Defaults to the process's own. */
  readonly stdout?: NodeJS.WriteStream;
}

export interface AppOptions extends AppParts, ViewOptions {}

export interface AppResult {
  /** `bye`: the user quit. `interrupted`: Ctrl+C twice, a signal, or a closed terminal. */
  readonly reason: "bye" | "interrupted";
  /** The signal that ended the program, for the exit code. */
  readonly signal?: NodeJS.Signals;
  /** The user wants the server to keep running in the background. */
  readonly keepsServer?: true;
  /** The conversation without the system message, including partial answers. */
  readonly transcript: ClientMessage[];
  /** The saved chat in front; undefined when nothing was said or saved. */
  readonly saved?: SessionHead | undefined;
}
