// Stops, starts and changes the server that this program hosts.

import { describeError } from "../../../base/product-error.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { Store } from "../../hooks/store.ts";
import type { ServerWatch } from "../../live/server-watch.ts";
import { askSettings, type ServerSettings } from "./server-settings.ts";
import type { HostedServer, ServerState, StartProblem } from "./server-state.ts";

export interface ServerControl {
  readonly isRunning: () => boolean;
  /** The settings in force, or of the last try to start. */
  readonly settings: () => ServerSettings;
  /** A sentence, where other machines can use the server without a key. */
  readonly warning: () => string | undefined;
  /** @throws with a sentence */
  stop(): Promise<void>;
  /** As it was before. @throws with a sentence, such as that the port is taken */
  start(): Promise<void>;
  /** Starts a stopped server. @throws as `start` */
  startWith(settings: ServerSettings): Promise<void>;
  /** As the last try, on the next free port. @throws as `start` */
  startOnNextPort(): Promise<void>;
  /** @returns a key's token, which is not shown again */
  makeKey(): Promise<string>;
}

const remedies: Readonly<Record<string, StartProblem["remedy"]>> = {
  SERVER_PORT_TAKEN: "next-port",
  SERVER_ALREADY_RUNNING: "next-port",
  SERVER_NO_KEY: "make-key",
};

const foreign = "Another program hosts this server: it is set, stopped and started there";

export interface ServerActionsOptions {
  readonly store: Store<ServerState>;
  /** Undefined where another program hosts the server. */
  readonly control: ServerControl | undefined;
  readonly frame: Pick<FrameServices, "ask" | "choose" | "confirm" | "copy" | "notify">;
  readonly watch: ServerWatch;
}

export class ServerActions {
  readonly #options: ServerActionsOptions;

  constructor(options: ServerActionsOptions) {
    this.#options = options;
  }

  /** The server at this moment. */
  get host(): HostedServer {
    const { control, watch } = this.#options;
    return { url: watch.url, state: this.#state, warning: control?.warning() };
  }

  get #state(): HostedServer["state"] {
    const { control, store } = this.#options;
    if (control === undefined) return undefined;
    if (store.get().work !== undefined) return "busy";
    return control.isRunning() ? "running" : "stopped";
  }

  /** Starts a stopped server, or stops a running one once the person is sure. */
  async toggle(): Promise<string | undefined> {
    const { control, frame, watch } = this.#options;
    if (control === undefined) return foreign;
    if (!control.isRunning()) return await this.#start(control, () => control.start());
    if (!(await frame.confirm(`Stop the server on ${watch.url}?${this.#unfinished}`))) {
      return undefined;
    }
    return await this.#stop(control, "The server is stopped");
  }

  /** Asks for other settings, and starts the server anew with them. */
  async changeSettings(): Promise<string | undefined> {
    const { control, frame, watch } = this.#options;
    if (control === undefined) return foreign;
    const wanted = await askSettings(control.settings(), !control.isRunning(), frame);
    if (wanted === undefined) return undefined;
    if (control.isRunning()) {
      const place = `${wanted.host}:${wanted.port}`;
      const question = `Stop the server on ${watch.url} and start it on ${place}?${this.#unfinished}`;
      if (!(await frame.confirm(question))) return "Nothing was changed";
      const failure = await this.#stop(control, undefined);
      if (failure !== undefined) return failure;
    }
    return await this.#start(control, () => control.startWith(wanted));
  }

  async startOnNextPort(): Promise<string | undefined> {
    const { control } = this.#options;
    if (control === undefined) return foreign;
    return await this.#start(control, () => control.startOnNextPort());
  }

  /** For a server that others reach: it starts only where there is a key. */
  async makeKey(): Promise<string | undefined> {
    const { control, frame } = this.#options;
    if (control === undefined) return foreign;
    try {
      const token = await control.makeKey();
      const question = `The key, shown this once: ${token}. Copy it, and start the server?`;
      if (!(await frame.confirm(question))) return "The key is made; S starts the server as it was";
      await frame.copy(token);
    } catch (error) {
      return describeError(error);
    }
    return await this.#start(control, () => control.startWith(control.settings()));
  }

  get #unfinished(): string {
    const running = this.#options.watch.sample?.running ?? 0;
    if (running === 0) return "";
    return running === 1
      ? " A running request is finished first."
      : ` ${running} running requests are finished first.`;
  }

  async #stop(control: ServerControl, done: string | undefined): Promise<string | undefined> {
    const { store, watch } = this.#options;
    store.update({ work: `stopping ${watch.url}; running requests are finished first` });
    try {
      await control.stop();
      return done;
    } catch (error) {
      return describeError(error);
    } finally {
      store.update({ work: undefined });
    }
  }

  async #start(control: ServerControl, start: () => Promise<void>): Promise<string | undefined> {
    const { store, watch } = this.#options;
    store.update({ startProblem: undefined, work: "starting the server" });
    try {
      await start();
      return `The server is listening on ${watch.url}`;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      const sentence = error instanceof Error ? error.message : String(error);
      if (control.isRunning()) return describeError(error);
      store.update({ startProblem: { sentence, remedy: remedies[code] ?? "none" } });
      return undefined;
    } finally {
      store.update({ work: undefined });
    }
  }
}
