// Launches what was answered, follows it, and does what one wants to do right after.

import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type { AppDocument, EphemeralEvent } from "../../../cloud/admin/documents.ts";
import type { Store } from "../../state/store.ts";
import type { CalledApp, CloudServer } from "../cloud-access.ts";
import { isEphemeral } from "./answers.ts";
import { arrived, notAsked } from "./asked.ts";
import type { DeployReader } from "./deploy-reader.ts";
import { type DeployState, revisionBefore } from "./deploy-state.ts";
import { afterEvent, beginLaunch, breakLaunch, isOngoing, stopLaunch } from "./launch.ts";

export interface LauncherOptions {
  readonly store: Store<DeployState>;
  readonly reader: DeployReader;
  readonly clock: Clock;
  /** It is live: the draft has done its work. */
  readonly onLive: () => void;
}

const tickMs = 250;

export class DeployLauncher {
  readonly #options: LauncherOptions;
  /** A launch that goes on at the server, and that the next one takes the place of. */
  #isLeft = false;
  #server: CloudServer | undefined;
  #stop: AbortController | undefined;
  #ticking: NodeJS.Timeout | undefined;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  /** Sends what was checked. Resolves when the launch has come to its end. */
  async launch(): Promise<void> {
    const { store, reader, clock } = this.#options;
    const { preparation } = reader;
    if (preparation === undefined || isOngoing(this.#state.launch)) return;
    const isRun = isEphemeral(this.#state.given);
    const stop = new AbortController();
    const server = reader.server();
    this.#server = server;
    this.#stop = stop;
    const launch = beginLaunch(isRun, clock.now());
    store.update({ launch, tests: notAsked, key: notAsked, work: undefined });
    this.#tick();
    try {
      const request = { ...preparation.request, ...(this.#isLeft && { isForced: true }) };
      this.#isLeft = false;
      const events: AsyncIterable<EphemeralEvent> = isRun
        ? server.run(request, stop.signal)
        : server.deploy(request, stop.signal);
      for await (const event of events) this.#follow(event);
      if (this.#state.launch?.state === "running") {
        this.#break("The control plane ended the deployment's stream without a result.");
      } else if (isOngoing(this.#state.launch)) this.#stopped();
    } catch (error) {
      if (stop.signal.aborted) this.#stopped();
      else this.#break(describeError(error));
    } finally {
      clearInterval(this.#ticking);
    }
  }

  /** Follows a deployment no longer: it goes on at the server until another one takes its place. */
  leave(): void {
    this.#isLeft = this.#state.launch?.state === "running";
    this.#options.store.update({ launch: undefined });
    this.stop();
  }

  /** Ends what is run once. A deployment goes on by itself. */
  stop(): void {
    this.#stop?.abort();
  }

  /** Asks the new app for its models and for one answer. */
  async test(): Promise<void> {
    const { store } = this.#options;
    const app = this.#calledApp();
    if (app === undefined || this.#server === undefined) return;
    store.update({ tests: { kind: "waiting", about: app.app } });
    const token = arrived(this.#state.key)?.token;
    try {
      const value = await this.#server.testApp(app, token, this.#stop?.signal);
      store.update({ tests: { kind: "here", about: app.app, value } });
    } catch (error) {
      const sentence = describeError(error);
      store.update({ tests: { kind: "failed", about: app.app, sentence } });
    }
  }

  /** Makes a key that is good for the new app alone. */
  async createKey(): Promise<void> {
    const { store } = this.#options;
    const app = this.#calledApp();
    if (app === undefined || this.#server === undefined) return;
    const about = app.app;
    store.update({ key: { kind: "waiting", about } });
    const { organisation } = app;
    const request = { organisation, scope: "api", apps: [about], description: about } as const;
    try {
      const value = await this.#server.createKey({ ...request, apps: [...request.apps] });
      store.update({ key: { kind: "here", about, value } });
    } catch (error) {
      store.update({ key: { kind: "failed", about, sentence: describeError(error) } });
    }
  }

  /** @returns a sentence that tells how it went */
  async rollBack(): Promise<string> {
    const { store } = this.#options;
    const server = this.#server;
    const state = this.#state;
    const name = state.launch?.result?.app ?? appOf(arrived(state.known.app));
    const before = revisionBefore(state);
    if (server === undefined || before === undefined || name === undefined)
      return "There is no revision to go back to.";
    const { activeRevision } = await server.app(name);
    if (activeRevision === before) return `${before} is active, as before: nothing has changed.`;
    store.update({ work: `going back to ${before}` });
    try {
      for await (const event of server.activate(name, before)) {
        if (event.kind === "phase") store.update({ work: `going back: ${event.sentence}` });
        if (event.kind === "failed") return event.sentence;
      }
      return `${before} is active again.`;
    } finally {
      store.update({ work: undefined });
    }
  }

  /** The new app as the server knows it, to chat with. */
  async app(): Promise<{ server: CloudServer; app: AppDocument } | undefined> {
    const called = this.#calledApp();
    if (called === undefined || this.#server === undefined) return undefined;
    const { organisation, app } = called;
    return { server: this.#server, app: await this.#server.app(`${organisation}/${app}`) };
  }

  /** Lines that call the new app. */
  callLines(): readonly string[] {
    const app = this.#calledApp();
    const script = arrived(this.#state.known.script);
    if (app === undefined || this.#server === undefined) return [];
    return this.#server.callLines(app, script?.inspection);
  }

  close(): void {
    this.stop();
    clearInterval(this.#ticking);
  }

  get #state(): DeployState {
    return this.#options.store.get();
  }

  #follow(event: EphemeralEvent): void {
    const { store, clock, onLive } = this.#options;
    const { launch } = this.#state;
    if (launch === undefined) return;
    store.update({ launch: afterEvent(launch, event, clock.now()) });
    if (event.kind === "done") onLive();
  }

  #break(sentence: string): void {
    const { store, clock } = this.#options;
    const { launch } = this.#state;
    if (launch !== undefined) store.update({ launch: breakLaunch(launch, sentence, clock.now()) });
  }

  #stopped(): void {
    const { store, clock } = this.#options;
    const { launch } = this.#state;
    if (launch !== undefined) store.update({ launch: stopLaunch(launch, clock.now()) });
  }

  #calledApp(): CalledApp | undefined {
    const result = this.#state.launch?.result;
    if (result === undefined) return undefined;
    const [organisation = "", app = ""] = result.app.split("/");
    return { organisation, app, url: result.url, auth: result.auth };
  }

  /** Times go on while nothing is told. */
  #tick(): void {
    clearInterval(this.#ticking);
    this.#ticking = setInterval(() => this.#options.store.update({}), tickMs);
    this.#ticking.unref();
  }
}

function appOf(details: AppDocument | undefined): string | undefined {
  return details && `${details.organisation}/${details.app}`;
}
