// Connection of a command to its server; finds or starts another one if the server disappears.
import type { HostedServer } from "../application/local-server/server-host.ts";
import { ProductError } from "../base/product-error.ts";
import { type ApiClient, ServerRefusal } from "../client/api-client.ts";
import type { ChatEvent } from "../client/chat-events.ts";
import { clientErrors } from "../client/errors.ts";
import { type Connection, connect, type Hosting, hostInProcess } from "./connect.ts";
import type { Flags } from "./flags.ts";
import { requireModel } from "./require-model.ts";
import type { CommandSettings } from "./session-settings.ts";

/** Opens a connection; the signal aborts the wait for a server that is being started. */
type Open = (settings: CommandSettings, signal?: AbortSignal) => Promise<Connection>;

export interface LinkOptions {
  /** Aborts the wait for a server that is being started in the background. */
  signal?: AbortSignal;
  /** Receives notices for the user. Defaults to printing them. */
  tell?: (sentence: string) => void;
}

export class ServerLink {
  readonly #open: Open;
  readonly #model: string;
  #settings: CommandSettings;
  #connection: Connection;
  #isStopped = false;

  private constructor(
    open: Open,
    model: string,
    settings: CommandSettings,
    connection: Connection,
  ) {
    this.#open = open;
    this.#model = model;
    this.#settings = settings;
    this.#connection = connection;
  }

  /**
   * @param model that a server loads when it is started; pulled if it is missing
   * @throws as `connect` and `requireModel`
   */
  static async open(
    flags: Flags,
    settings: CommandSettings,
    hosting: Hosting,
    model: string,
    { signal, tell = (sentence) => process.stderr.write(`${sentence}\n`) }: LinkOptions = {},
  ): Promise<ServerLink> {
    const open: Open = (now, until) => connect(flags, now, hosting, model, until);
    const link = new ServerLink(open, model, settings, await open(settings, signal));
    try {
      await requireModel(link.client, model, flags);
    } catch (error) {
      await link.close();
      throw error;
    }
    if (link.#connection.isForeign && settings.serverFlags.length > 0) {
      tell(
        `A server is already running at ${link.client.connection.url}; its settings apply, ` +
          `not ${settings.serverFlags.filter((flag) => flag.startsWith("--")).join(" ")}.`,
      );
    }
    return link;
  }

  /** Settings of a server in this process. */
  get settings(): CommandSettings {
    return this.#settings;
  }

  get client(): ApiClient {
    return this.#connection.client;
  }

  /** The server in this process, if there is one. */
  get hosted(): HostedServer | undefined {
    return this.#connection.hosted;
  }

  /**
   * Sends a request, and again if the server disappears before any text of the answer.
   *
   * @throws errors of the client
   */
  async *ask(
    signal: AbortSignal,
    ask: (client: ApiClient) => AsyncIterable<ChatEvent>,
  ): AsyncGenerator<ChatEvent> {
    let hasText = false;
    try {
      for await (const event of ask(this.client)) {
        hasText ||= event.type === "text";
        yield event;
      }
      return;
    } catch (error) {
      if (!isServerGone(error) || hasText || signal.aborted) throw error;
    }
    yield { type: "starting" };
    this.#connection = await this.#open(this.#settings, signal);
    this.#isStopped = false;
    yield* ask(this.client);
  }

  /** True while this process runs the server. */
  get isHosting(): boolean {
    return this.hosted !== undefined && !this.#isStopped;
  }

  /** True after `stopHosting`, until a server is started. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Ends this process's server once its requests have ended.
   *
   * @throws Error if another process hosts it
   */
  async stopHosting(limitMs: number): Promise<void> {
    if (this.#isStopped) return;
    if (this.hosted === undefined) throw new Error("Another process hosts this server now");
    this.#isStopped = true;
    await this.hosted?.drain(limitMs);
    await this.hosted?.close();
  }

  /** Starts a server again, or uses one that was started meanwhile. @throws as `connect` */
  async startHosting(): Promise<void> {
    if (!this.#isStopped) return;
    this.#connection = await this.#open(this.#settings);
    this.#isStopped = false;
  }

  /**
   * Starts a server with other settings, and keeps them.
   *
   * @param morePorts number of ports after the address's own that may be used instead
   * @throws ProductError of `hostServer`; the server stays stopped, with its old settings
   */
  async hostWith(settings: CommandSettings, morePorts = 0): Promise<void> {
    if (!this.#isStopped) throw new Error("The server is running; stop it first");
    this.#connection = await hostInProcess(settings, this.#model, morePorts);
    const { address } = settings;
    const port = Number(new URL(this.client.connection.url).port);
    // Keeps the port that was used.
    this.#settings = { ...settings, address: address && { ...address, port } };
    this.#isStopped = false;
  }

  async close(): Promise<void> {
    if (!this.#isStopped) await this.hosted?.close();
  }
}

function isServerGone(error: unknown): boolean {
  // Code of a stopping server.
  if (error instanceof ServerRefusal) return error.code === "ENGINE_SHUTTING_DOWN";
  return (
    error instanceof ProductError &&
    (error.code === clientErrors.unreachable.code || error.code === clientErrors.vanished.code)
  );
}
