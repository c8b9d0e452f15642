// Launches the app, follows the launch, and acts on the new app.

import { describeError } from "../../../base/product-error.ts";
import { type Loadable, load, loadedValue } from "../../../client/live/loadable.ts";
import type { EphemeralEvent } from "../../../cloud/admin/documents.ts";
import type { CallableApp, CloudServer } from "../../app/cloud-access.ts";
import { isEphemeral } from "./answers.ts";
import type { DeployLoader } from "./deploy-loader.ts";
import {
  type DeployServices,
  type DeployState,
  type Launch,
  revisionBefore,
} from "./deploy-state.ts";
import type { DraftActions } from "./draft-actions.ts";
import { afterEvent, beginLaunch, failLaunch, isOngoing, stopLaunch } from "./launch.ts";
import { commandOf } from "./review-pages.ts";

const tickMs = 250;

export class LaunchActions {
  readonly #services: DeployServices;
  readonly #loader: DeployLoader;
  readonly #drafts: DraftActions;
  /** True if an earlier launch still runs on the server: the next one replaces it. */
  #isLeft = false;
  #server: CloudServer | undefined;
  #stop: AbortController | undefined;

  constructor(services: DeployServices, loader: DeployLoader, drafts: DraftActions) {
    this.#services = services;
    this.#loader = loader;
    this.#drafts = drafts;
  }

  /** Sends the checked document. Resolves at the end of the launch. */
  async launch(): Promise<void> {
    const { store, clock } = this.#services;
    const { preparation } = this.#loader;
    if (preparation === undefined || isOngoing(this.#state.launch)) return;
    const isRun = isEphemeral(this.#state.given);
    const stop = new AbortController();
    const server = this.#loader.server();
    this.#server = server;
    this.#stop = stop;
    const nowMs = clock.now();
    store.update({ launch: beginLaunch(isRun, nowMs), nowMs, work: undefined });
    // Updates the elapsed times between events.
    const ticking = setInterval(() => store.update({ nowMs: clock.now() }), tickMs);
    ticking.unref();
    stop.signal.addEventListener("abort", () => clearInterval(ticking));
    try {
      const request = { ...preparation.request, ...(this.#isLeft && { isForced: true }) };
      this.#isLeft = false;
      const events: AsyncIterable<EphemeralEvent> = isRun
        ? server.run(request, stop.signal)
        : server.deploy(request, stop.signal);
      for await (const event of events) {
        this.#change(stop, (launch, nowMs) => afterEvent(launch, event, nowMs));
        const app = this.#calledApp();
        if (event.kind !== "done" || app === undefined || this.#stop !== stop) continue;
        const callLines = server.callLines(app);
        this.#change(stop, (launch) => ({ ...launch, callLines }));
        // A live app needs no draft.
        void this.#drafts.remove();
      }
      this.#change(stop, (launch, nowMs) => {
        const sentence = "The control plane disconnected before the deployment finished.";
        if (launch.state === "running") return failLaunch(launch, sentence, nowMs);
        return isOngoing(launch) ? stopLaunch(launch, nowMs) : launch;
      });
    } catch (error) {
      const sentence = describeError(error);
      this.#change(stop, (launch, nowMs) =>
        stop.signal.aborted ? stopLaunch(launch, nowMs) : failLaunch(launch, sentence, nowMs),
      );
    } finally {
      clearInterval(ticking);
    }
  }

  /** Stops following a deployment, which continues on the server until the next one replaces it. */
  leave(): void {
    this.#isLeft = this.#state.launch?.state === "running";
    this.#services.store.update({ launch: undefined });
    this.stop();
  }

  /** Stops a one-time run. A deployment continues by itself. */
  stop(): undefined {
    this.#stop?.abort();
  }

  /** Sends test requests to the new app: one for its models, one for an answer. */
  test(): Promise<undefined> {
    return this.#ask("tests", (server, app) =>
      server.testApp(app, this.#token, this.#stop?.signal),
    );
  }

  /** Creates a key for the new app alone. */
  createKey(): Promise<undefined> {
    return this.#ask("key", (server, { organisation, app }) =>
      server.client.createKey({ organisation, scope: "api", apps: [app], description: app }),
    );
  }

  /** Activates the revision before the launch. @returns a sentence with the outcome */
  async rollBack(): Promise<string> {
    const { store } = this.#services;
    const server = this.#server;
    const { launch, known } = this.#state;
    const { organisation, app } = loadedValue(known.app) ?? {};
    const name = launch?.result?.app ?? (app && `${organisation}/${app}`);
    const before = revisionBefore(this.#state);
    if (server === undefined || before === undefined || name === undefined) {
      return "No revision to roll back to.";
    }
    const { activeRevision } = await server.client.app(name);
    if (activeRevision === before) return `${before} is already active.`;
    store.update({ work: `rolling back to ${before}` });
    try {
      for await (const event of server.client.activate(name, { revision: before })) {
        if (event.kind === "phase") store.update({ work: `rolling back: ${event.sentence}` });
        if (event.kind === "failed") return event.sentence;
      }
      return `${before} is active again.`;
    } finally {
      store.update({ work: undefined });
    }
  }

  /** Opens a chat with the new app. */
  async chat(): Promise<string | undefined> {
    const called = this.#calledApp();
    const server = this.#server;
    if (called === undefined || server === undefined) return "No app to chat with.";
    const app = await server.client.app(`${called.organisation}/${called.app}`);
    await this.#services.chatWith(server, app, this.#token);
    return undefined;
  }

  /** Copies the command; after the launch the key, or example calls. */
  async copy(): Promise<string> {
    const { frame } = this.#services;
    const { step, launch } = this.#state;
    const command = commandOf(this.#state);
    if (step === "review" && command !== undefined) {
      return `${await frame.copy(command)}: command`;
    }
    if (this.#token !== undefined) return `${await frame.copy(this.#token)}: key`;
    return `${await frame.copy((launch?.callLines ?? []).join("\n"))}: example calls`;
  }

  async showLog(): Promise<undefined> {
    await this.#services.frame.page((this.#state.launch?.log ?? []).join("\n"));
  }

  /** Asks before the only copy of a key is hidden. @returns true to proceed */
  async mayLoseKey(): Promise<boolean> {
    if (this.#state.step !== "launch" || this.#token === undefined) return true;
    return await this.#services.frame.confirm("The key is shown only once. Close it?");
  }

  get #state(): DeployState {
    return this.#services.store.get();
  }

  /** The new key while it is shown. */
  get #token(): string | undefined {
    return loadedValue(this.#state.launch?.key)?.token;
  }

  /** Changes the launch that `stop` belongs to; a later one may have replaced it. */
  #change(
    stop: AbortController | undefined,
    change: (launch: Launch, nowMs: number) => Launch,
  ): void {
    const { store, clock } = this.#services;
    const { launch } = this.#state;
    const nowMs = clock.now();
    if (launch !== undefined && stop === this.#stop)
      store.update({ launch: change(launch, nowMs), nowMs });
  }

  #calledApp(): CallableApp | undefined {
    const result = this.#state.launch?.result;
    if (result === undefined) return undefined;
    const [organisation = "", app = ""] = result.app.split("/");
    return { organisation, app, url: result.url, auth: result.auth, api: result.api };
  }

  /** Sends a request about the new app, and shows its progress and outcome. */
  async #ask<Value>(
    key: "tests" | "key",
    ask: (server: CloudServer, app: CallableApp) => Promise<Value>,
  ): Promise<undefined> {
    const app = this.#calledApp();
    if (app === undefined || this.#server === undefined) return;
    const stop = this.#stop;
    const server = this.#server;
    const show = (answer: Loadable<Value>) =>
      this.#change(stop, (launch) => ({ ...launch, [key]: answer }));
    show({ kind: "loading" });
    show(await load(() => ask(server, app)));
  }
}
