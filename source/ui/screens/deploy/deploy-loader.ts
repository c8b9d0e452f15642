// Loads the facts of the steps in the background, so that no key waits for them.

import path from "node:path";
import { describeError, ProductError } from "../../../base/product-error.ts";
import type { CloudServer, Preparation } from "../cloud-access.ts";
import { deployAnswersOf, referenceOf, scriptOf } from "./answers.ts";
import {
  baseOf,
  type DeployContext,
  type DeployState,
  type Facts,
  type Loadable,
  loadedValue,
  notLoaded,
  type PreflightResult,
  profileOf,
  type ReadScript,
  targetOf,
} from "./deploy-state.ts";
import { steps } from "./steps.ts";

type ValueOfKnown<Key extends keyof Facts> =
  Facts[Key] extends Loadable<infer Value> ? Value : never;

/** Source of a fact; the fact is read again when its subject changes. */
interface Source<Key extends keyof Facts> {
  readonly about: (state: DeployState) => string;
  readonly read: (state: DeployState) => Promise<ValueOfKnown<Key>>;
}

const aboutProfile = (state: DeployState) => profileOf(state) ?? "";

export class DeployLoader {
  readonly #context: DeployContext;
  readonly #sources: { readonly [Key in keyof Facts]: Source<Key> };
  /** By profile; undefined for the current one. */
  readonly #servers = new Map<string | undefined, CloudServer>();
  /** Contains secrets, so it is never part of the state. */
  #preparation: Preparation | undefined;
  #checks = 0;
  #stop = new AbortController();

  constructor(context: DeployContext) {
    const { cloud, folder } = context;
    this.#context = context;
    this.#sources = {
      targets: { about: () => "", read: async () => await cloud.targets() },
      scripts: { about: () => folder, read: async () => await cloud.scripts.find(folder) },
      models: { about: () => "", read: async () => await cloud.localModels() },
      functions: {
        about: ({ given }) => scriptOf(given),
        read: async ({ given }) => await cloud.scripts.targets(scriptOf(given)),
      },
      script: {
        // A server may have its own machine type.
        about: (state) => [referenceOf(state.given), targetOf(state)?.machineType ?? ""].join(" "),
        read: async (state) => await this.#inspect(state),
      },
      apps: { about: aboutProfile, read: async (state) => await this.#apps(state) },
      capacity: { about: aboutProfile, read: async () => await this.server().capacity() },
      secrets: {
        about: aboutProfile,
        read: async () => await orNothing(this.server(), ({ client }) => client.secrets()),
      },
      app: {
        about: (state) => `${aboutProfile(state)} ${state.given.name}`,
        read: async (state) => await this.#app(state),
      },
      checked: {
        about: () => String(this.#checks),
        read: async (state) => await this.#check(state, this.#checks),
      },
    };
  }

  /** The checked document, for the launch to send. */
  get preparation(): Preparation | undefined {
    return this.#preparation;
  }

  /** True when the checked document can be launched. */
  get isReady(): boolean {
    const checked = loadedValue(this.#state.known.checked);
    const isFine = checked?.findings.every(({ kind }) => kind !== "fault") ?? false;
    return isFine && this.#preparation !== undefined;
  }

  /** @throws `CONFIGURATION_PROFILE_UNKNOWN` */
  server(): CloudServer {
    const profile = profileOf(this.#state);
    const server = this.#servers.get(profile) ?? this.#context.cloud.server(profile);
    this.#servers.set(profile, server);
    return server;
  }

  /** Reads for a step that was just opened. */
  open(): void {
    const reads = this.#reads();
    if (reads.includes("checked")) this.#dropChecks();
    this.forget(...reads);
    this.read();
  }

  /** Reads everything that the current step shows, unless it was read. */
  read(): void {
    const { step, given } = this.#state;
    void this.#load("targets");
    if (step !== "script") this.#readScript();
    for (const key of this.#reads()) {
      if (key === "models" && given.source !== "model") continue;
      if (key === "checked" && !this.#canCheck()) continue;
      void this.#load(key);
    }
  }

  /** Resolves once this fact is not being read. */
  async settled(key: keyof Facts): Promise<void> {
    const { store } = this.#context;
    await new Promise<void>((resolve) => {
      const unsubscribe = store.subscribe(() => check());
      const check = () => {
        if (this.#state.known[key].kind === "loading") return;
        unsubscribe();
        resolve();
      };
      check();
    });
  }

  /** Makes `read` reload these facts. */
  forget(...keys: readonly (keyof Facts)[]): void {
    const gone = Object.fromEntries(keys.map((key) => [key, notLoaded]));
    this.#context.store.update({ known: { ...this.#state.known, ...gone } });
  }

  /** Reloads failed facts and the rest of the step. */
  retry(): void {
    const { known, step } = this.#state;
    const keys = Object.keys(known) as (keyof Facts)[];
    this.forget(...keys.filter((key) => known[key].kind === "failed"));
    if (step === "app" || step === "found") this.forget("script", "functions");
    this.read();
    if (step === "review" || step === "preflight") void this.check();
  }

  /** Packs the script and runs the checks again. */
  async check(): Promise<void> {
    this.#dropChecks();
    await this.#load("checked");
  }

  close(): void {
    this.#stop.abort();
  }

  get #state(): DeployState {
    return this.#context.store.get();
  }

  #dropChecks(): void {
    this.#preparation = undefined;
    this.#checks += 1;
    this.forget("checked", "app");
    this.#context.store.update({ checks: [] });
  }

  /** True once the script and the servers are known: the hardware depends on both. */
  #canCheck(): boolean {
    const { script, targets } = this.#state.known;
    return script.kind === "loaded" && targets.kind !== "loading";
  }

  #reads(): readonly (keyof Facts)[] {
    return steps.find(({ id }) => id === this.#state.step)?.reads ?? [];
  }

  #readScript(): void {
    const { store } = this.#context;
    void this.#load("functions");
    // The function has to be chosen before the script is read.
    const { given, known } = this.#state;
    if (known.functions.kind === "loading") return;
    const [first, ...others] = loadedValue(known.functions) ?? [];
    if (given.target === undefined && first !== undefined && others.length > 0) {
      store.update({ given: { ...given, target: first } });
    }
    void this.#load("script");
    this.#suggestName();
  }

  /** Suggests the name of the script or the model, until the user types one. */
  #suggestName(): void {
    const { store } = this.#context;
    const { given, known, rules } = this.#state;
    const script = loadedValue(known.script);
    if (script === undefined) return;
    const { app_name: own, name } = script.inspection.config;
    const called = given.source === "model" ? (given.model ?? "") : scriptOf(given);
    const said = [own, name].find((text) => typeof text === "string");
    const suggestion = said ?? rules.suggestName(path.basename(called));
    const isOwn = given.name !== undefined && given.name !== given.suggestedName;
    if (isOwn || given.name === suggestion) return;
    store.update({ given: { ...given, name: suggestion, suggestedName: suggestion } });
  }

  async #inspect(state: DeployState): Promise<ReadScript> {
    const { cloud, store } = this.#context;
    let note: string | undefined;
    const onRun = (sentence: string) => {
      note = sentence;
      store.update({ work: sentence });
    };
    const isStatic = state.given.isStatic === "yes";
    const options = { isStatic, onRun, signal: this.#stop.signal };
    const machineType = targetOf(state)?.machineType;
    try {
      const inspection = await cloud.scripts.inspect(referenceOf(state.given), options);
      return { inspection, base: cloud.scripts.config(inspection, { machineType }), note };
    } finally {
      if (note !== undefined) store.update({ work: undefined });
    }
  }

  async #apps(state: DeployState) {
    const organisation = targetOf(state)?.organisation;
    const apps = await orNothing(this.server(), ({ client }) => client.apps());
    return apps.filter((app) => organisation === undefined || app.organisation === organisation);
  }

  async #app(state: DeployState) {
    const server = this.server();
    const found = (await this.#apps(state)).find(({ app }) => app === state.given.name);
    return found && (await server.client.app(`${found.organisation}/${found.app}`));
  }

  async #check(state: DeployState, number: number): Promise<PreflightResult> {
    const { store, cloud } = this.#context;
    const base = baseOf(state);
    if (base === undefined) throw new Error("The script has not been read yet.");
    const answers = deployAnswersOf(state.given, base, targetOf(state));
    const preparing = cloud.scripts.prepare(answers, this.#stop.signal);
    const checking = cloud.scripts.preflight(preparing, this.server(), (checks) => {
      // Checks of an earlier attempt may still run.
      if (this.#checks === number) store.update({ checks });
    });
    const [preparation, findings] = await Promise.all([preparing, checking]);
    // Another check handles answers that changed meanwhile.
    if (this.#state.given === state.given) this.#preparation = preparation;
    const { request, files, sizeBytes, warnings } = preparation;
    return { findings, config: request.config, fileCount: files.length, sizeBytes, warnings };
  }

  async #load<Key extends keyof Facts>(key: Key): Promise<void> {
    const { store } = this.#context;
    const state = this.#state;
    const source = this.#sources[key];
    const about = source.about(state);
    const before: Loadable<unknown> = state.known[key];
    if (before.kind !== "none" && before.about === about) return;
    const loading = { kind: "loading", about } as const;
    store.update({ known: { ...state.known, [key]: loading } });
    const outcome = await source.read(state).then(
      (value) => ({ kind: "loaded", about, value }) as const,
      (error: unknown) => ({ kind: "failed", about, sentence: describeError(error) }) as const,
    );
    const { known, faults } = this.#state;
    // Another read may have replaced this one.
    if (known[key] !== loading) return;
    // The step may be complete now.
    const { "": _fault, ...others } = faults;
    store.update({ known: { ...known, [key]: outcome }, faults: others });
    this.read();
  }
}

/** Returns an empty list if the local server is not running; the launch starts it. */
async function orNothing<T>(
  server: CloudServer,
  read: (server: CloudServer) => Promise<T[]>,
): Promise<T[]> {
  try {
    return await read(server);
  } catch (error) {
    const isDown = error instanceof ProductError && error.code === "CLOUD_SERVER_UNREACHABLE";
    if (isDown && server.target.isLocal) return [];
    throw error;
  }
}
