// What the full-screen program is started with, and what it gives back.

import type { ApiClient } from "../../client/api-client.ts";
import type { ClientMessage } from "../../client/chat-events.ts";
import type { SessionHead } from "../../sessions/session.ts";
import type { Screen } from "../frame/screen.ts";
import type { ThemeName } from "../frame/themes.ts";
import type { ChatOptions } from "../screens/chat/chat-backend.ts";
import type { CloudAccess } from "../screens/cloud-access.ts";
import type { ReadFilter } from "../screens/server/request-list.ts";
import type { ServerControl } from "../screens/server/server-state.ts";

/** The server behind the screens. */
export interface ServerOptions {
  /** The one to ask now: after a break it may be another. */
  readonly client: () => ApiClient;
  /** Reads the language of the request log's filters. */
  readonly readFilter: ReadFilter;
  /** Undefined where another program hosts the server. */
  readonly control?: ServerControl;
}

/** What is behind the screens. */
export interface AppParts {
  /** Undefined: there is a chat once a deployment is chosen. */
  readonly chat?: ChatOptions;
  /** Without it there are neither live figures nor the screens that show the server. */
  readonly server?: ServerOptions;
  /** Undefined: there are no screens for deployments. */
  readonly cloud?: CloudAccess;
  /** Where chats with deployments are kept. Defaults to where `chat` is; without either they are not. */
  readonly kept?: Pick<ChatOptions, "historyFile" | "sessions">;
  /** Sentences to show at the beginning. */
  readonly notices?: readonly string[];
}

/** How the program looks, and on which terminal. */
export interface ViewOptions {
  /** The name in front of the tabs. Defaults to modelctl. */
  readonly program?: string;
  /** The screen to begin with. Defaults to the chat. */
  readonly first?: Screen["id"];
  /** Defaults to `default`. */
  readonly theme?: ThemeName;
  /** Stays in the terminal's usual buffer, below what is there. Defaults to false. */
  readonly isInline?: boolean;
  /** Plain lines instead of a painted screen. Defaults to the variable INK_SCREEN_READER. */
  readonly isScreenReader?: boolean;
  /** Told what each frame took of the main thread, in milliseconds of processor time. */
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
  /** `bye`: the person left. `interrupted`: Ctrl+C twice, a signal, or the terminal went away. */
  readonly reason: "bye" | "interrupted";
  /** The signal that ended the program, for the exit code. */
  readonly signal?: NodeJS.Signals;
  /** The person wants the server to run on in the background. */
  readonly keepsServer?: true;
  /** The conversation without the system message; stopped and failed answers as far as they got. */
  readonly transcript: ClientMessage[];
  /** The saved chat that was in front; undefined where nothing was said or kept. */
  readonly saved?: SessionHead | undefined;
}
