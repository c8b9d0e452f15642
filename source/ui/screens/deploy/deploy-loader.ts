// Loads in the background what the steps show: no key waits for any of it.

import path from "node:path";
import { describeError, ProductError } from "../../../base/product-error.ts";
import type { CloudServer, Preparation } from "../cloud-access.ts";
import { deployAnswersOf, referenceOf, scriptOf } from "./answers.ts";
import {
  baseOf,
  type Checked,
  type DeployContext,
  type DeployState,
  isAbout,
  type Known,
  type Loadable,
  loadedValue,
  notLoaded,
  profileOf,
  type ReadScript,
  targetOf,
} from "./deploy-state.ts";
import type { StepId } from "./steps.ts";

type ValueOfKnown<Key extends keyof Known> =
  Known[Key] extends Loadable<infer Value> ? Value : never;

/** Facts that others may change: they are read anew whenever the step is opened. */
const changing: Partial<Record<StepId, readonly (keyof Known)[]>> = {
  script: ["scripts", "models"],
  name: ["apps"],
  where: ["apps", "capacity"],
  variables: ["secrets"],
  resources: ["apps", "capacity"],
  review: ["app"],
};

export class DeployLoader {
  readonly #context: DeployContext;
  /** By profile; the one in use has no name here. */
  readonly #servers = new Map<string | undefined, CloudServer>();
  /** Holds secrets: it is never part of the state. */
  #preparation: Preparation | undefined;
  #checks = 0;
  #stop = new AbortController();

  constructor(context: DeployContext) {
    this.#context = context;
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
    const known = this.#servers.get(profile);
    if (known !== undefined) return known;
    const server = this.#context.cloud.server(profile);
    this.#servers.set(profile, server);
    return server;
  }

  /** Reads for a step that was just opened. */
  open(): void {
    this.forget(...(changing[this.#state.step] ?? []));
    this.read();
  }

  /** Reads everything that the current step shows, unless it was read. */
  read(): void {
    const { cloud, folder } = this.#context;
    const { step, given } = this.#state;
    const place = profileOf(this.#state) ?? "";
    void this.#load("targets", "", async () => await cloud.targets());
    switch (step) {
      case "script":
        void this.#load("scripts", folder, async () => await cloud.scripts.find(folder));
        if (given.source === "model") {
          void this.#load("models", "", async () => await cloud.localModels());
        }
        break;
      case "name":
        void this.#load("apps", place, async () => await this.#apps());
        break;
      case "where":
      case "resources":
        void this.#load("apps", place, async () => await this.#apps());
        void this.#load("capacity", place, async () => await this.server().capacity());
        break;
      case "variables":
        void this.#load(
          "secrets",
          place,
          async () => await orNothing(this.server(), (s) => s.secrets()),
        );
        break;
      case "review":
        void this.#load("app", `${place} ${given.name}`, async () => await this.#app(given.name));
        break;
      default:
        break;
    }
    if (step !== "script") this.#readScript();
  }

  /** Makes `read` read these again. */
  forget(...keys: readonly (keyof Known)[]): void {
    const { known } = this.#state;
    const gone = Object.fromEntries(keys.map((key) => [key, notLoaded]));
    this.#context.store.update({ known: { ...known, ...gone } });
  }

  /** Tries again whatever failed, and the rest of the step with it. */
  retry(): void {
    const { known, step } = this.#state;
    const keys = Object.keys(known) as (keyof Known)[];
    this.forget(...keys.filter((key) => known[key].kind === "failed"));
    if (step === "found") this.forget("script", "functions");
    this.read();
    if (step === "preflight") void this.check();
  }

  /** Packs the script and asks whether it would run: each time anew. */
  async check(): Promise<void> {
    const { cloud } = this.#context;
    const state = this.#state;
    const base = baseOf(state);
    this.#preparation = undefined;
    this.#checks += 1;
    const number = this.#checks;
    this.forget("checked", "app");
    this.#context.store.update({ checks: [] });
    await this.#load("checked", String(this.#checks), async () => {
      if (base === undefined) throw new Error("The script is not read yet.");
      const answers = deployAnswersOf(state.given, base, targetOf(state));
      const preparing = cloud.scripts.prepare(answers, this.#stop.signal);
      const checking = cloud.scripts.preflight(preparing, this.server(), (checks) => {
        // Checks of an earlier try may still run.
        if (this.#checks === number) this.#context.store.update({ checks });
      });
      const [preparation, findings] = await Promise.all([preparing, checking]);
      // Answers that changed meanwhile are checked by another one.
      if (this.#state.given === state.given) this.#preparation = preparation;
      return checkedOf(preparation, findings);
    });
  }

  close(): void {
    this.#stop.abort();
  }

  get #state(): DeployState {
    return this.#context.store.get();
  }

  #readScript(): void {
    const { cloud, store } = this.#context;
    const { given } = this.#state;
    const file = scriptOf(given);
    void this.#load("functions", file, async () => await cloud.scripts.targets(file));
    // Which function is meant has to be clear before it is read.
    const { functions } = this.#state.known;
    if (functions.kind === "loading") return;
    const [first, ...others] = loadedValue(functions) ?? [];
    if (given.target === undefined && first !== undefined && others.length > 0) {
      store.update({ given: { ...given, target: first } });
    }
    const reference = referenceOf(this.#state.given);
    // A place may have hardware of its own to ask for.
    const machineType = targetOf(this.#state)?.machineType;
    const about = [reference, machineType ?? ""].join(" ");
    void this.#load("script", about, async () => await this.#inspect(reference, machineType));
    this.#suggestName();
  }

  /** Proposes the name of the script or the model, until the person types one. */
  #suggestName(): void {
    const { cloud, store } = this.#context;
    const { given, known } = this.#state;
    const script = loadedValue(known.script);
    if (script === undefined) return;
    const { app_name: own, name } = script.inspection.config;
    const called = given.source === "model" ? given.model : path.basename(scriptOf(given));
    const said = [own, name].find((text) => typeof text === "string");
    const suggestion =
      typeof said === "string" ? said : cloud.scripts.suggestName(lastPart(called));
    const isOwn = given.name !== undefined && given.name !== given.suggestedName;
    if (isOwn || given.name === suggestion) return;
    store.update({ given: { ...given, name: suggestion, suggestedName: suggestion } });
  }

  async #inspect(reference: string, machineType: string | undefined): Promise<ReadScript> {
    const { cloud, store } = this.#context;
    let note: string | undefined;
    const onRun = (sentence: string) => {
      note = sentence;
      store.update({ work: sentence });
    };
    const isStatic = this.#state.given.isStatic === "yes";
    const signal = this.#stop.signal;
    try {
      const inspection = await cloud.scripts.inspect(reference, { isStatic, onRun, signal });
      return { inspection, base: cloud.scripts.config(inspection, { machineType }), note };
    } finally {
      if (note !== undefined) store.update({ work: undefined });
    }
  }

  async #apps() {
    const organisation = targetOf(this.#state)?.organisation;
    const apps = await orNothing(this.server(), async (server) => await server.apps());
    return apps.filter((app) => organisation === undefined || app.organisation === organisation);
  }

  async #app(name: string | undefined) {
    const found = (await this.#apps()).find(({ app }) => app === name);
    return found && (await this.server().app(`${found.organisation}/${found.app}`));
  }

  #load<Key extends keyof Known>(
    key: Key,
    about: string,
    read: () => Promise<ValueOfKnown<Key>>,
  ): Promise<void> {
    if (isAbout(this.#state.known[key], about)) return Promise.resolve();
    const loading: Loadable<ValueOfKnown<Key>> = { kind: "loading", about };
    const settle = (outcome: Loadable<ValueOfKnown<Key>>): void => {
      // Meanwhile something else may have been asked for.
      if (this.#state.known[key] !== loading) return;
      this.#put(key, outcome);
      this.#clearStepFault();
      this.read();
    };
    this.#put(key, loading);
    return read().then(
      (value) => settle({ kind: "loaded", about, value }),
      (error: unknown) => settle({ kind: "failed", about, sentence: describeError(error) }),
    );
  }

  /** The step was not ready for Enter; now more is known. */
  #clearStepFault(): void {
    const { "": fault, ...faults } = this.#state.faults;
    if (fault !== undefined) this.#context.store.update({ faults });
  }

  #put<Key extends keyof Known>(key: Key, value: Loadable<ValueOfKnown<Key>>): void {
    const { store } = this.#context;
    store.update({ known: { ...store.get().known, [key]: value } });
  }
}

function lastPart(name = ""): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** A server of this machine that does not run yet has nothing; the launch starts it. */
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

function checkedOf(
  { request, files, sizeBytes, warnings }: Preparation,
  findings: Checked["findings"],
): Checked {
  return { findings, config: request.config, fileCount: files.length, sizeBytes, warnings };
}
