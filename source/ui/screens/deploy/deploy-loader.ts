// Loads the facts of the steps in the background, so that no key waits for them.

import path from "node:path";
import { ProductError } from "../../../base/product-error.ts";
import { load, loadedValue } from "../../../client/live/loadable.ts";
import type { CloudClient, CloudServer, Preparation } from "../../app/cloud-access.ts";
import { deployAnswersOf, referenceOf, scriptOf } from "./answers.ts";
import {
  baseOf,
  type DeployServices,
  type DeployState,
  type Facts,
  type FactValues,
  type PreflightResult,
  placeOf,
  profileOf,
  type ReadScript,
  targetOf,
} from "./deploy-state.ts";
import { steps } from "./steps.ts";

/** Source of a fact; the fact is read again when its subject changes. */
interface Source<Value> {
  readonly about: (state: DeployState) => string;
  readonly read: (state: DeployState) => Promise<Value>;
}

export class DeployLoader {
  readonly #services: DeployServices;
  readonly #sources: { readonly [Key in keyof FactValues]: Source<FactValues[Key]> };
  /** The last reading of each fact. */
  readonly #readings = new Map<keyof Facts, { about: string; end: Promise<void> }>();
  /** By profile; undefined for the current one. */
  readonly #servers = new Map<string | undefined, CloudServer>();
  /** Contains secrets, so it is never part of the state. */
  #preparation: Preparation | undefined;
  /** Number of the last check. */
  #checks = 0;
  #stop = new AbortController();

  constructor(services: DeployServices) {
    const { cloud, folder } = services;
    const aboutProfile = (state: DeployState) => profileOf(state) ?? "";
    this.#services = services;
    this.#sources = {
      targets: { about: () => "", read: () => cloud.targets() },
      scripts: { about: () => "", read: () => cloud.scripts.find(folder) },
      models: { about: () => "", read: () => cloud.localModels() },
      functions: {
        about: ({ given }) => scriptOf(given),
        read: ({ given }) => cloud.scripts.targets(scriptOf(given)),
      },
      script: {
        // A server may have its own machine type.
        about: (state) => [referenceOf(state.given), targetOf(state)?.machineType ?? ""].join(" "),
        read: (state) => this.#inspect(state),
      },
      apps: { about: aboutProfile, read: (state) => this.#apps(state) },
      capacity: { about: aboutProfile, read: () => this.server().capacity() },
      environments: {
        about: aboutProfile,
        read: () => this.#list((client) => client.environments()),
      },
      secrets: {
        about: (state) => `${aboutProfile(state)} ${placeOf(state).environment}`,
        read: (state) => this.#list((client) => client.secrets(placeOf(state).environment)),
      },
      app: {
        about: (state) => `${aboutProfile(state)} ${placeOf(state).app}`,
        read: (state) => this.#app(state),
      },
      checked: { about: () => "", read: (state) => this.#check(state) },
    };
  }

  /** The checked document, for the launch to send. */
  get preparation(): Preparation | undefined {
    return this.#preparation;
  }

  /** @throws `CONFIGURATION_PROFILE_UNKNOWN` */
  server(): CloudServer {
    const profile = profileOf(this.#state);
    const server = this.#servers.get(profile) ?? this.#services.cloud.server(profile);
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
    void this.load("targets");
    if (step !== "script") this.#readScript();
    for (const key of this.#reads()) {
      if (key === "models" && given.source !== "model") continue;
      if (key === "checked" && !this.#canCheck()) continue;
      void this.load(key);
    }
  }

  /** Reads a fact, unless it was read. Resolves once it is known. */
  async load(key: keyof Facts): Promise<void> {
    const about = this.#sources[key].about(this.#state);
    const last = this.#readings.get(key);
    if (last?.about === about && this.#state.known[key] !== undefined) return await last.end;
    const end = this.#read(key);
    this.#readings.set(key, { about, end });
    await end;
  }

  /** Makes `read` reload these facts. */
  forget(...keys: readonly (keyof Facts)[]): void {
    const gone = Object.fromEntries(keys.map((key) => [key, undefined]));
    this.#services.store.update({ known: { ...this.#state.known, ...gone } });
  }

  /** Reloads failed facts and the rest of the step. */
  retry(): void {
    const { known, step } = this.#state;
    const keys = Object.keys(known) as (keyof Facts)[];
    this.forget(...keys.filter((key) => known[key]?.kind === "failed"));
    if (step === "app" || step === "found") this.forget("script", "functions");
    this.read();
    if (step === "review" || step === "preflight") void this.check();
  }

  /** Packs the script and runs the checks again. */
  async check(): Promise<void> {
    this.#dropChecks();
    await this.load("checked");
  }

  close(): void {
    this.#stop.abort();
  }

  get #state(): DeployState {
    return this.#services.store.get();
  }

  #dropChecks(): void {
    this.#preparation = undefined;
    this.#checks += 1;
    this.forget("checked", "app");
    this.#services.store.update({ checks: [] });
  }

  /** True once the script and the servers are known: the hardware depends on both. */
  #canCheck(): boolean {
    const { script, targets } = this.#state.known;
    return script?.kind === "loaded" && targets?.kind !== "loading";
  }

  #reads(): readonly (keyof Facts)[] {
    return steps.find(({ id }) => id === this.#state.step)?.reads ?? [];
  }

  #readScript(): void {
    const { store } = this.#services;
    void this.load("functions");
    // The function has to be chosen before the script is read.
    const { given, known } = this.#state;
    if (known.functions?.kind === "loading") return;
    const [first, ...others] = loadedValue(known.functions) ?? [];
    if (given.target === undefined && first !== undefined && others.length > 0) {
      store.update({ given: { ...given, target: first } });
    }
    void this.load("script");
    this.#suggestName();
  }

  /** Suggests the name of the script or the model, until the user types one. */
  #suggestName(): void {
    const { store } = this.#services;
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
    const { cloud, store } = this.#services;
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
    const apps = await this.#list((client) => client.apps());
    return apps.filter((app) => organisation === undefined || app.organisation === organisation);
  }

  async #app(state: DeployState) {
    const { app: name } = placeOf(state);
    const found = (await this.#apps(state)).find(({ app }) => app === name);
    return found && (await this.server().client.app(`${found.organisation}/${found.app}`));
  }

  /** Returns an empty list if the local server is not running; the launch starts it. */
  async #list<T>(list: (client: CloudClient) => Promise<T[]>): Promise<T[]> {
    const server = this.server();
    try {
      return await list(server.client);
    } catch (error) {
      const isDown = error instanceof ProductError && error.code === "CLOUD_SERVER_UNREACHABLE";
      if (isDown && server.target.isLocal) return [];
      throw error;
    }
  }

  async #check(state: DeployState): Promise<PreflightResult> {
    const { store, cloud } = this.#services;
    const number = this.#checks;
    const base = baseOf(state);
    if (base === undefined) throw new Error("The script has not been read yet.");
    const answers = deployAnswersOf(state.given, base, targetOf(state), placeOf(state));
    const preparing = cloud.scripts.prepare(answers, this.server());
    const checking = cloud.scripts.preflight(preparing, this.server(), (checks) => {
      // Checks of an earlier attempt may still run.
      if (this.#checks === number) store.update({ checks });
    });
    const [preparation, findings] = await Promise.all([preparing, checking]);
    // Another check handles answers that changed meanwhile.
    if (this.#state.given === state.given) this.#preparation = preparation;
    const { request, files, sizeBytes, warnings, secretsQuestion } = preparation;
    const { config, kept = [], secrets = {} } = request;
    return {
      ...{ findings, config, kept, secretsQuestion, sizeBytes, warnings },
      secrets: Object.keys(secrets),
      fileCount: files.length,
    };
  }

  async #read(key: keyof Facts): Promise<void> {
    const { store } = this.#services;
    const state = this.#state;
    const source: Source<unknown> = this.#sources[key];
    const loading = { kind: "loading" } as const;
    store.update({ known: { ...state.known, [key]: loading } });
    const outcome = await load(() => source.read(state));
    const { known, faults } = this.#state;
    // Another read may have replaced this one.
    if (known[key] !== loading) return;
    // The step may be complete now.
    const { "": _fault, ...others } = faults;
    store.update({ known: { ...known, [key]: outcome }, faults: others });
    this.read();
  }
}
