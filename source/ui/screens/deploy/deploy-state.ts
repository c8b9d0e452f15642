// State of the deploy screen: the answers, the facts read for them, and the launch.

import type { Store } from "../../../base/store.ts";
import { type Loadable, loadedValue } from "../../../client/live/loadable.ts";
import type {
  AppDetails,
  AppDocument,
  DeployPhase,
  DeployResult,
  EnvironmentDocument,
  NewKeyDocument,
  SecretDocument,
} from "../../../cloud/admin/documents.ts";
import type { AppConfig } from "../../../cloud/app-config.ts";
import type { Inspection } from "../../../cloud/inspection/inspection.ts";
import type {
  CloudScreenServices,
  CloudTarget,
  LocalModel,
  MachineCapacity,
  PreflightCheck,
  PreflightFinding,
  TestStep,
} from "../../app/cloud-access.ts";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import { type AppPlace, appPlaceOf, type GivenValues, type Rules } from "./answers.ts";

export type StepId =
  | "script"
  | "app"
  | "review"
  | "launch"
  | "found"
  | "mode"
  | "where"
  | "variables"
  | "resources"
  | "scaling"
  | "timeouts"
  | "preflight";

/** An inspected script, and its configuration without any answers. */
export interface ReadScript {
  readonly inspection: Inspection;
  readonly base: AppConfig;
  /** Set if the inspection had to run its top level in a sandbox. */
  readonly note: string | undefined;
}

/** The part of the checked document that may be shown. */
export interface PreflightResult {
  readonly findings: readonly PreflightFinding[];
  readonly config: AppConfig;
  /** Names of variables and secrets taken over from the active revision. */
  readonly kept: readonly string[];
  /** Names of secrets that the deployment sets. */
  readonly secrets: readonly string[];
  /** Asked before the launch. */
  readonly secretsQuestion?: string | undefined;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly warnings: readonly string[];
}

export interface FactValues {
  /** Scripts of this folder that have something to deploy. */
  readonly scripts: readonly string[];
  readonly models: readonly LocalModel[];
  /** Depends on the script's reference. */
  readonly script: ReadScript;
  /** Names that can follow `::` in the reference; depends on the script's path. */
  readonly functions: readonly string[];
  readonly targets: readonly CloudTarget[];
  /** Depends on the profile, like the next four. */
  readonly capacity: MachineCapacity | undefined;
  readonly apps: readonly AppDocument[];
  /** `main` first; empty while the server does not run. */
  readonly environments: readonly EnvironmentDocument[];
  /** Secrets of the app's environment. */
  readonly secrets: readonly SecretDocument[];
  /** The app of the chosen name; undefined when there is none. */
  readonly app: AppDetails | undefined;
  readonly checked: PreflightResult;
}

/** Facts that were read for the answers; absent ones were not needed yet. */
export type Facts = {
  readonly [Key in keyof FactValues]?: Loadable<FactValues[Key]> | undefined;
};

export interface LaunchPhase {
  readonly phase: DeployPhase | "send";
  readonly sentence: string;
  readonly startedAtMs: number;
  /** Undefined while it runs. */
  readonly endedAtMs: number | undefined;
}

export interface Launch {
  readonly state: "running" | "live" | "ended" | "failed";
  readonly isEphemeral: boolean;
  readonly phases: readonly LaunchPhase[];
  readonly warnings: readonly string[];
  /** The last lines. */
  readonly log: readonly string[];
  readonly result?: DeployResult;
  /** Why it failed, or how a one-time run ended. */
  readonly sentence?: string;
  /** Why the replica ended, if known. */
  readonly reason?: string | undefined;
  /** Example calls of the new app. */
  readonly callLines: readonly string[];
  readonly tests?: Loadable<readonly TestStep[]>;
  /** Shown only once. */
  readonly key?: Loadable<NewKeyDocument>;
}

export interface DeployState {
  readonly rules: Rules;
  /** Last update of the launch; milliseconds of a monotonic clock. */
  readonly nowMs: number;
  readonly step: StepId;
  /** Index of the focused field. */
  readonly focus: number;
  /** The text of that field. */
  readonly editor: EditorState;
  readonly given: GivenValues;
  /** Problems by field name; "" is the whole step. */
  readonly faults: Readonly<Record<string, string>>;
  /** Matching paths, after Tab. */
  readonly paths: readonly string[];
  /** True once public access was confirmed. */
  readonly isPublicConfirmed: boolean;
  readonly known: Facts;
  /** The checks of the preflight, while they run. */
  readonly checks: readonly PreflightCheck[];
  readonly launch: Launch | undefined;
  /** Work in progress, such as a rollback. */
  readonly work: string | undefined;
  /** Milliseconds since 1970. */
  readonly draftSavedAtMs: number | undefined;
  /** Extra scroll in rows, beyond what keeps the field visible. */
  readonly scroll: number;
}

export function createDeployState(
  rules: Rules,
  given: GivenValues = {},
  step: StepId = "script",
): DeployState {
  return {
    rules,
    nowMs: 0,
    step,
    focus: 0,
    editor: createEditorState(),
    given,
    faults: {},
    paths: [],
    isPublicConfirmed: false,
    known: {},
    checks: [],
    launch: undefined,
    work: undefined,
    draftSavedAtMs: undefined,
    scroll: 0,
  };
}

/** Restarts the form, empty or with a draft; keeps the scripts and servers that were read. */
export function restartedState(
  state: DeployState,
  given?: GivenValues,
  step?: StepId,
): DeployState {
  const { scripts, targets } = state.known;
  return { ...createDeployState(state.rules, given, step), known: { scripts, targets } };
}

/** Returns the first finding that would make the launch fail. */
export function firstFault({ known }: DeployState): PreflightFinding | undefined {
  return loadedValue(known.checked)?.findings.find(({ kind }) => kind === "fault");
}

export function baseOf({ known }: DeployState): AppConfig | undefined {
  return loadedValue(known.script)?.base;
}

/** Returns the chosen server; undefined until the servers are loaded. */
export function targetOf({ given, known }: DeployState): CloudTarget | undefined {
  return loadedValue(known.targets)?.find(({ profile, isCurrent }) =>
    given.profile === undefined ? isCurrent : profile === given.profile,
  );
}

/** Returns the app's name and environment on its server. */
export function placeOf(state: DeployState): AppPlace {
  return appPlaceOf(state.given, targetOf(state), state.rules);
}

/** Returns the chosen profile; undefined for the current one. */
export function profileOf(state: DeployState): string | undefined {
  return targetOf(state)?.isCurrent ? undefined : state.given.profile;
}

/** Returns the revision that was active before the launch, to roll back to. */
export function revisionBefore({ launch, known }: DeployState): string | undefined {
  if (launch === undefined || launch.isEphemeral) return undefined;
  return launch.result === undefined
    ? loadedValue(known.app)?.activeRevision
    : launch.result.previous;
}

export interface DeployServices extends CloudScreenServices {
  /** Start of relative paths. */
  readonly folder: string;
  readonly store: Store<DeployState>;
}
