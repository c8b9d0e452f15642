// Opens the whole program in an in-memory terminal, with a real server and the tiny model.

import { onTestFinished } from "vitest";
import { ApiClient } from "../../../source/client/api-client.ts";
import type { Settings } from "../../../source/configuration/settings.ts";
import { readRequestFilter } from "../../../source/request-log/filter.ts";
import type { AppOptions, AppResult, ServerOptions } from "../../../source/ui/app/app-options.ts";
import { TestServer } from "../../support/test-server.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { ScriptedBackend } from "./scripted-backend.ts";
import { SizedTerminal } from "./sized-terminal.ts";

export interface OpenAppOptions extends Partial<AppOptions> {
  readonly columns?: number;
  readonly rows?: number;
  /** Defaults to one of its own, which is closed after the test. */
  readonly sharedServer?: TestServer;
  /** Settings of the server that is made for the test. */
  readonly settings?: Partial<Settings>;
  readonly serverOptions?: Partial<ServerOptions>;
}

export interface OpenApp {
  readonly screen: SizedTerminal;
  readonly backend: ScriptedBackend;
  readonly server: TestServer;
  /** Settles when the program has ended. */
  readonly result: Promise<AppResult>;
}

/** Starts a server and the program, and waits for the first frame. */
export async function openApp(options: OpenAppOptions = {}): Promise<OpenApp> {
  const {
    columns = 120,
    rows = 40,
    sharedServer,
    settings,
    serverOptions,
    ...appOptions
  } = options;
  const server = sharedServer ?? (await TestServer.start(settings));
  const screen = new SizedTerminal(columns, rows);
  const backend = new ScriptedBackend();
  const client = new ApiClient({ url: server.url, ownerToken: server.hosted.ownerToken });
  // Runs after the program has ended.
  onTestFinished(async () => {
    if (server !== sharedServer) await server.close();
  });
  const ownServer = { client: () => client, readFilter: readRequestFilter, ...serverOptions };
  const { result } = await runInTerminal(
    screen,
    { chat: { backend }, server: ownServer, ...appOptions },
    options.isScreenReader ? "Status:" : "modelctl",
  );
  return { screen, backend, server, result };
}
