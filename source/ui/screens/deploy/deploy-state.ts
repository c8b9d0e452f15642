// State of the deploy screen: the answers, the facts read for them, and the launch.

import type {
  AppDetails,
  AppDocument,
  NewKeyDocument,
  SecretDocument,
} from "../../../cloud/admin/documents.ts";
import type { AppConfig } from "../../../cloud/app-config.ts";
import type { Inspection } from "../../../cloud/inspection/inspection.ts";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import type { Store } from "../../hooks/store.ts";
import type {
  CloudScreenServices,
  CloudTarget,
  LocalModel,
  MachineCapacity,
  PreflightCheck,
  PreflightFinding,
  TestStep,
} from "../cloud-access.ts";
import type { GivenValues, Rules } from "./answers.ts";
import type { Launch } from "./launch.ts";

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

/** A value that is read in the background. */
export type Loadable<T> =
  | { readonly kind: "none" }
  | { readonly kind: "loading"; readonly about: string }
  | { readonly kind: "loaded"; readonly about: string; readonly value: T }
  | { readonly kind: "failed"; readonly about: string; readonly sentence: string };

export const notLoaded = { kind: "none" } as const;

/** Returns the value; undefined until it is loaded. */
export function loadedValue<T>(loadable: Loadable<T>): T | undefined {
  return loadable.kind === "loaded" ? loadable.value : undefined;
}

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
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly warnings: readonly string[];
}

/** Facts that were read for the answers. */
export interface Facts {
  /** Scripts of this folder that have something to deploy. */
  readonly scripts: Loadable<readonly string[]>;
  readonly models: Loadable<readonly LocalModel[]>;
  /** Depends on the script's reference. */
  readonly script: Loadable<ReadScript>;
  /** Names that can follow `::` in the reference; depends on the script's path. */
  readonly functions: Loadable<readonly string[]>;
  readonly targets: Loadable<readonly CloudTarget[]>;
  /** Depends on the profile, like the next three. */
  readonly capacity: Loadable<MachineCapacity | undefined>;
  readonly apps: Loadable<readonly AppDocument[]>;
  readonly secrets: Loadable<readonly SecretDocument[]>;
  /** The app of the chosen name; its value is undefined when there is none. */
  readonly app: Loadable<AppDetails | undefined>;
  readonly checked: Loadable<PreflightResult>;
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
  /** Example calls of the new app. */
  readonly callLines: readonly string[];
  readonly tests: Loadable<readonly TestStep[]>;
  /** Shown only once. */
  readonly key: Loadable<NewKeyDocument>;
  /** Work in progress, such as a rollback. */
  readonly work: string | undefined;
  /** Milliseconds since 1970. */
  readonly draftSavedAtMs: number | undefined;
  /** Extra scroll in rows, beyond what keeps the field visible. */
  readonly scroll: number;
}

const nothingKnown: Facts = {
  scripts: notLoaded,
  models: notLoaded,
  script: notLoaded,
  functions: notLoaded,
  targets: notLoaded,
  capacity: notLoaded,
  apps: notLoaded,
  secrets: notLoaded,
  app: notLoaded,
  checked: notLoaded,
};

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
    known: nothingKnown,
    checks: [],
    launch: undefined,
    callLines: [],
    tests: notLoaded,
    key: notLoaded,
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
  const fresh = createDeployState(state.rules, given, step);
  return { ...fresh, known: { ...fresh.known, scripts, targets } };
}

/** Returns the first finding that would make the launch fail. */
export function firstFault({ known }: DeployState): PreflightFinding | undefined {
  return loadedValue(known.checked)?.findings.find(({ kind }) => kind === "fault");
}

export function baseOf({ known }: DeployState): AppConfig | undefined {
  return loadedValue(known.script)?.base;
}

/** Returns the chosen profile; undefined for the current one. */
export function profileOf({ given, known }: DeployState): string | undefined {
  const chosen = given.profile;
  if (chosen === undefined) return undefined;
  const current = loadedValue(known.targets)?.find(({ isCurrent }) => isCurrent);
  return chosen === current?.profile ? undefined : chosen;
}

export function targetOf(state: DeployState): CloudTarget | undefined {
  const targets = loadedValue(state.known.targets) ?? [];
  const profile = profileOf(state);
  return targets.find((target) =>
    profile === undefined ? target.isCurrent : target.profile === profile,
  );
}

/** Returns the revision that was active before the launch, to roll back to. */
export function revisionBefore({ launch, known }: DeployState): string | undefined {
  if (launch === undefined || launch.isEphemeral) return undefined;
  return launch.result === undefined
    ? loadedValue(known.app)?.activeRevision
    : launch.result.previous;
}

export interface DeployServices extends CloudScreenServices {
  /** Start of relative paths. Defaults to the working folder of the process. */
  readonly folder?: string;
}

export interface DeployContext extends Required<DeployServices> {
  readonly store: Store<DeployState>;
}
