// Sample answers and facts for tests of the deploy screen.

import * as facts from "../../../../source/application/app-facts.ts";
import type { AppDetails } from "../../../../source/cloud/admin/documents.ts";
import type { Inspection } from "../../../../source/cloud/inspection/inspection.ts";
import type { GivenValues, Rules } from "../../../../source/ui/screens/deploy/answers.ts";
import {
  createDeployState,
  type DeployState,
  type Facts,
  type Loadable,
  type StepId,
} from "../../../../source/ui/screens/deploy/deploy-state.ts";

/** The rules of deployctl. */
export const rules: Rules = {
  nameFault: facts.appNameFault,
  suggestName: facts.appNameFor,
  looksSecret: facts.isSecretVariable,
  config: facts.configFor,
  previewScale: facts.previewScale,
};

export function inspectionOf(change: Partial<Inspection> = {}): Inspection {
  return {
    schema: 1,
    target: "serve",
    kind: "function",
    dialect: "deployctl",
    line: 7,
    config: { port: 8000, max_multiplexing: 4, max_concurrency: 2 },
    dynamic: [],
    env_read: [
      { name: "MODEL_NAME", default: "tiny" },
      { name: "API_TOKEN", secret: true, required: true },
    ],
    executables: [],
    command: [],
    stubbed: [],
    files: ["deploy.py"],
    warnings: [],
    ...change,
  };
}

export function loaded<T>(value: T, about = ""): Loadable<T> {
  return { kind: "loaded", about, value };
}

/** A loaded script, and a machine for it. */
export function stateOf(
  step: StepId,
  given: GivenValues = {},
  known: Partial<Facts> = {},
  inspection: Inspection = inspectionOf(),
): DeployState {
  const state = createDeployState(rules, { script: "deploy.py", name: "chat", ...given }, step);
  const base = rules.config(inspection, {});
  const target = { profile: "local", isCurrent: true, isLocal: true, place: "this machine" };
  const read: Partial<Facts> = {
    script: loaded({ inspection, base, note: undefined }, "deploy.py"),
    functions: loaded(["serve"], "deploy.py"),
    targets: loaded([{ ...target, organisation: undefined }]),
    apps: loaded([]),
    secrets: loaded([]),
    ...known,
  };
  return { ...state, known: { ...state.known, ...read } };
}

export function appDetails(change: Partial<AppDetails> = {}): AppDetails {
  const { scale, ...config } = rules.config(inspectionOf(), {});
  const organisation = "local";
  const app = "chat";
  return {
    organisation,
    app,
    url: "http://127.0.0.1:8480/local/chat",
    auth: "private",
    state: "READY",
    reason: undefined,
    activeRevision: "r0003-aaaaaaaa",
    scale,
    overrides: [],
    isEphemeral: false,
    replicas: { wanted: 1, alive: 1, ready: 1 },
    inFlight: 0,
    queued: 0,
    createdAt: 0,
    updatedAt: 0,
    revision: {
      organisation,
      app,
      revision: "r0003-aaaaaaaa",
      state: "ACTIVE",
      reason: undefined,
      config: { ...config, scale },
      message: undefined,
      annotations: {},
      createdBy: undefined,
      createdAt: 0,
      isPinned: false,
    },
    rollout: undefined,
    ...change,
  };
}
