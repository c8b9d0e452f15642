// Sample answers and facts for tests of the deploy screen.

import * as facts from "../../../../source/application/deploying/app-facts.ts";
import type { Loadable } from "../../../../source/client/live/loadable.ts";
import type { AppDetails, DeployResult } from "../../../../source/cloud/admin/documents.ts";
import type { Inspection } from "../../../../source/cloud/inspection/inspection.ts";
import type { GivenValues, Rules } from "../../../../source/ui/screens/deploy/answers.ts";
import {
  createDeployState,
  type DeployState,
  type Facts,
  type StepId,
} from "../../../../source/ui/screens/deploy/deploy-state.ts";
import { sampleApp, sampleRevision } from "../console/sample-cloud.ts";

/** The rules of deployctl. */
export const rules: Rules = {
  nameFault: facts.appNameFault,
  nameIn: facts.appNameIn,
  environmentOf: facts.environmentOf,
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

export function loaded<T>(value: T): Loadable<T> {
  return { kind: "loaded", value };
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
    script: loaded({ inspection, base, note: undefined }),
    functions: loaded(["serve"]),
    targets: loaded([{ ...target, organisation: undefined }]),
    apps: loaded([]),
    secrets: loaded([]),
    ...known,
  };
  return { ...state, known: { ...state.known, ...read } };
}

export function appDetails(): AppDetails {
  const app = "chat";
  const activeRevision = "r0003-aaaaaaaa";
  const config = rules.config(inspectionOf(), {});
  return {
    ...sampleApp({ app, activeRevision, scale: config.scale }),
    revision: sampleRevision({ app, revision: activeRevision, config }),
    rollout: undefined,
  };
}

export function deployResult(): DeployResult {
  return {
    app: "local/chat",
    revision: "r0004-bbbbbbbb",
    status: "active",
    url: "http://127.0.0.1:8480/local/chat",
    auth: "private",
    api: { kind: "openai", model: "tiny" },
    cold_start_ms: 1840,
    previous: "r0003-aaaaaaaa",
    warnings: [],
  };
}
