// Reads what the steps show, in the background: keys are never waited for by any of it.

import path from "node:path";
import { describeError, ProductError } from "../../../base/product-error.ts";
import type { Store } from "../../state/store.ts";
import type { CloudAccess, CloudServer, Preparation } from "../cloud-access.ts";
import { deployAnswersOf, referenceOf, scriptOf } from "./answers.ts";
import { type Asked, arrived, isAbout, notAsked } from "./asked.ts";
import {
  baseOf,
  type Checked,
  type DeployState,
  type Known,
  profileOf,
  type ReadScript,
  targetOf,
} from "./deploy-state.ts";
import type { StepId } from "./steps.ts";

export interface ReaderOptions {
  readonly cloud: CloudAccess;
  readonly store: Store<DeployState>;
  /** What scripts are looked for in, and relative paths start from. */
  readonly folder: string;
}

type ValueOfKnown<Key extends keyof Known> = Known[Key] extends Asked<infer Value> ? Value : never;

/** What may be another thing each time that a step is opened. */
const changing: Partial<Record<StepId, readonly (keyof Known)[]>> = {
  script: ["scripts", "models"],
  name: ["apps"],
  where: ["apps", "capacity"],
  variables: ["secrets"],
  resources: ["apps", "capacity"],
  review: ["app"],
};

export class DeployReader {
  readonly #options: ReaderOptions;
  /** By profile; the one in use has no name here. */
  readonly #servers = new Map<string | undefined, CloudServer>();
  /** Holds secrets: it is never part of the state. */
  #preparation: Preparation | undefined;
  #checks = 0;
  #stop = new AbortController();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** What the checks were made for, and the launch sends. */
  get preparation(): Preparation | undefined {
    return this.#preparation;
  }

  /** Whether what was checked can be launched. */
  get isReady(): boolean {
    const checked = arrived(this.#state.known.checked);
    const isFine = checked?.findings.every(({ kind }) => kind !== "fault") ?? false;
    return isFine && this.#preparation !== undefined;
  }

  /** @throws `CONFIGURATION_PROFILE_UNKNOWN` */
  server(): CloudServer {
    const profile = profileOf(this.#state);
    const known = this.#servers.get(profile);
    if (known !== undefined) return known;
    const server = this.#options.cloud.server(profile);
    this.#servers.set(profile, server);
    return server;
  }

  /** A step was opened: what others may have changed meanwhile is read anew. */
  open(): void {
    this.forget(...(changing[this.#state.step] ?? []));
    this.read();
  }

  /** Reads what the step in sight shows, unless it was read. */
  read(): void {
    const { cloud, folder } = this.#options;
    const { step, given } = this.#state;
    const place = profileOf(this.#state) ?? "";
    void this.#ask("targets", "", async () => await cloud.targets());
    switch (step) {
      case "script":
        void this.#ask("scripts", folder, async () => await cloud.scripts.find(folder));
        if (given.source === "model") {
          void this.#ask("models", "", async () => await cloud.localModels());
        }
        break;
      case "name":
        void this.#ask("apps", place, async () => await this.#apps());
        break;
      case "where":
      case "resources":
        void this.#ask("apps", place, async () => await this.#apps());
        void this.#ask("capacity", place, async () => await this.server().capacity());
        break;
      case "variables":
        void this.#ask(
          "secrets",
          place,
          async () => await orNothing(this.server(), (s) => s.secrets()),
        );
        break;
      case "review":
        void this.#ask("app", `${place} ${given.name}`, async () => await this.#app(given.name));
        break;
      default:
        break;
    }
    if (step !== "script") this.#readScript();
  }

  /** Forgets what the step in sight could not read, or what may have changed meanwhile. */
  forget(...keys: readonly (keyof Known)[]): void {
    const { known } = this.#state;
    const gone = Object.fromEntries(keys.map((key) => [key, notAsked]));
    this.#options.store.update({ known: { ...known, ...gone } });
  }

  /** What failed is tried once more, and the rest of the step with it. */
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
    const { cloud } = this.#options;
    const state = this.#state;
    const base = baseOf(state);
    this.#preparation = undefined;
    this.#checks += 1;
    const number = this.#checks;
    this.forget("checked", "app");
    this.#options.store.update({ checks: [] });
    await this.#ask("checked", String(this.#checks), async () => {
      if (base === undefined) throw new Error("The script is not read yet.");
      const answers = deployAnswersOf(state.given, base, targetOf(state));
      const preparing = cloud.scripts.prepare(answers, this.#stop.signal);
      const checking = cloud.scripts.preflight(preparing, this.server(), (checks) => {
        // Those of an earlier try may still run.
        if (this.#checks === number) this.#options.store.update({ checks });
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
    return this.#options.store.get();
  }

  #readScript(): void {
    const { cloud, store } = this.#options;
    const { given } = this.#state;
    const file = scriptOf(given);
    void this.#ask("functions", file, async () => await cloud.scripts.targets(file));
    // Which function is meant has to be clear before it is read.
    const { functions } = this.#state.known;
    if (functions.kind === "waiting") return;
    const [first, ...others] = arrived(functions) ?? [];
    if (given.target === undefined && first !== undefined && others.length > 0) {
      store.update({ given: { ...given, target: first } });
    }
    const reference = referenceOf(this.#state.given);
    // A place may have hardware of its own to ask for.
    const machineType = targetOf(this.#state)?.machineType;
    const about = [reference, machineType ?? ""].join(" ");
    void this.#ask("script", about, async () => await this.#inspect(reference, machineType));
    this.#suggestName();
  }

  /** What the script or the model is called, until the person says something else. */
  #suggestName(): void {
    const { cloud, store } = this.#options;
    const { given, known } = this.#state;
    const script = arrived(known.script);
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
    const { cloud, store } = this.#options;
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

  #ask<Key extends keyof Known>(
    key: Key,
    about: string,
    read: () => Promise<ValueOfKnown<Key>>,
  ): Promise<void> {
    if (isAbout(this.#state.known[key], about)) return Promise.resolve();
    const asked: Asked<ValueOfKnown<Key>> = { kind: "waiting", about };
    const settle = (outcome: Asked<ValueOfKnown<Key>>): void => {
      // Meanwhile something else may have been asked.
      if (this.#state.known[key] !== asked) return;
      this.#put(key, outcome);
      this.#forgive();
      this.read();
    };
    this.#put(key, asked);
    return read().then(
      (value) => settle({ kind: "here", about, value }),
      (error: unknown) => settle({ kind: "failed", about, sentence: describeError(error) }),
    );
  }

  /** The step was not ready; now more is known of it. */
  #forgive(): void {
    const { "": fault, ...faults } = this.#state.faults;
    if (fault !== undefined) this.#options.store.update({ faults });
  }

  #put<Key extends keyof Known>(key: Key, asked: Asked<ValueOfKnown<Key>>): void {
    const { store } = this.#options;
    store.update({ known: { ...store.get().known, [key]: asked } });
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
