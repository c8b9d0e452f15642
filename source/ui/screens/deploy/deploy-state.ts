// The state of the deploy screen: the answers, what was read for them, and the launch.

import type {
  AppDetails,
  AppDocument,
  NewKeyDocument,
  SecretDocument,
} from "../../../cloud/admin/documents.ts";
import type { AppConfig } from "../../../cloud/app-config.ts";
import type { Inspection } from "../../../cloud/inspection/inspection.ts";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import type {
  CloudTarget,
  LocalModel,
  MachineCapacity,
  PreflightCheck,
  PreflightFinding,
  TestStep,
} from "../cloud-access.ts";
import type { Given } from "./answers.ts";
import { type Asked, arrived, notAsked } from "./asked.ts";
import type { Launch } from "./launch.ts";
import type { StepId } from "./steps.ts";

/** A script as it was read, and what it would be deployed as without any answer. */
export interface ReadScript {
  readonly inspection: Inspection;
  readonly base: AppConfig;
  /** Said when its top level was run under guard. */
  readonly note: string | undefined;
}

/** What would be sent, as far as it may be shown. */
export interface Checked {
  readonly findings: readonly PreflightFinding[];
  readonly config: AppConfig;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly warnings: readonly string[];
}

/** What was read for the answers. */
export interface Known {
  /** Scripts of this folder that have something to deploy. */
  readonly scripts: Asked<readonly string[]>;
  readonly models: Asked<readonly LocalModel[]>;
  /** About the script's reference. */
  readonly script: Asked<ReadScript>;
  /** What may stand behind `::`. About the script's path. */
  readonly functions: Asked<readonly string[]>;
  readonly targets: Asked<readonly CloudTarget[]>;
  /** About the profile, as the next three. */
  readonly capacity: Asked<MachineCapacity | undefined>;
  readonly apps: Asked<readonly AppDocument[]>;
  readonly secrets: Asked<readonly SecretDocument[]>;
  /** The app of the chosen name; its value is undefined when there is none. */
  readonly app: Asked<AppDetails | undefined>;
  readonly checked: Asked<Checked>;
}

export interface DeployState {
  readonly step: StepId;
  /** Which field has the keys. */
  readonly focus: number;
  /** The text of that field. */
  readonly editor: EditorState;
  readonly given: Given;
  /** What is wrong, by the names of the fields; "" stands for the whole step. */
  readonly faults: Readonly<Record<string, string>>;
  /** Paths that fit what was typed, after Tab. */
  readonly paths: readonly string[];
  /** Whoever chooses public is asked a second time. */
  readonly isPublicConfirmed: boolean;
  readonly known: Known;
  /** The checks of the preflight, while they run. */
  readonly checks: readonly PreflightCheck[];
  readonly launch: Launch | undefined;
  readonly tests: Asked<readonly TestStep[]>;
  /** Seen this once. */
  readonly key: Asked<NewKeyDocument>;
  /** What is done beside the steps, such as rolling back. */
  readonly work: string | undefined;
  /** Milliseconds since 1970. */
  readonly draftSavedAtMs: number | undefined;
  /** Rows that the content is moved up by, beyond what keeps the field in sight. */
  readonly scroll: number;
}

export function createDeployState(given: Given = {}, step: StepId = "script"): DeployState {
  return {
    step,
    focus: 0,
    editor: createEditorState(),
    given,
    faults: {},
    paths: [],
    isPublicConfirmed: false,
    known: {
      scripts: notAsked,
      models: notAsked,
      script: notAsked,
      functions: notAsked,
      targets: notAsked,
      capacity: notAsked,
      apps: notAsked,
      secrets: notAsked,
      app: notAsked,
      checked: notAsked,
    },
    checks: [],
    launch: undefined,
    tests: notAsked,
    key: notAsked,
    work: undefined,
    draftSavedAtMs: undefined,
    scroll: 0,
  };
}

export function baseOf({ known }: DeployState): AppConfig | undefined {
  return arrived(known.script)?.base;
}

/** The profile that was chosen; undefined: the one in use. */
export function profileOf({ given, known }: DeployState): string | undefined {
  const chosen = given.profile;
  if (chosen === undefined) return undefined;
  const current = arrived(known.targets)?.find(({ isCurrent }) => isCurrent);
  return chosen === current?.profile ? undefined : chosen;
}

export function targetOf(state: DeployState): CloudTarget | undefined {
  const targets = arrived(state.known.targets) ?? [];
  const profile = profileOf(state);
  return targets.find((target) =>
    profile === undefined ? target.isCurrent : target.profile === profile,
  );
}

/** What callers had before the launch: what one can go back to. */
export function revisionBefore({ launch, known }: DeployState): string | undefined {
  if (launch === undefined || launch.isEphemeral) return undefined;
  return launch.result === undefined ? arrived(known.app)?.activeRevision : launch.result.previous;
}
