// Control plane on a scripted engine and gateway, in its own folder, with a fast clock.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Clock } from "../../../source/base/clock.ts";
import type { DeployEvent, DeploymentRequest } from "../../../source/cloud/admin/documents.ts";
import { type AppConfig, defaultLimits, defaultScale } from "../../../source/cloud/app-config.ts";
import {
  ControlPlane,
  type ControlPlaneOptions,
} from "../../../source/cloud/control-plane/control-plane.ts";
import { type CloudStore, openStore } from "../../../source/cloud/state/cloud-store.ts";
import { StateDatabase, stateFile } from "../../../source/cloud/state/database.ts";
import { ScriptedEngine } from "./scripted-engine.ts";
import { ScriptedTraffic } from "./scripted-traffic.ts";

/** Factor by which the control plane's clock is faster. */
const speed = 25;

function fastClock(): Clock {
  const begun = performance.now();
  const beganAt = Date.now();
  const passed = () => (performance.now() - begun) * speed;
  return { now: passed, wallMs: () => Math.floor(beganAt + passed()) };
}

export const plainConfig: AppConfig = {
  kind: "function",
  exposedPort: 8000,
  healthPath: "/health",
  auth: "private",
  scale: defaultScale,
  limits: defaultLimits,
  hardware: { machineType: undefined, gpuCount: 0 },
  requirements: [],
  environment: {},
  secretNames: [],
  executables: [],
  coldStart: "wait",
  noWakePaths: ["/health"],
  portRewrite: "auto",
  upstreamAuthorizationSecret: undefined,
};

/** @param text of the script; another text makes another revision */
export function deployment(
  text: string,
  change: Partial<DeploymentRequest> & { scale?: Partial<AppConfig["scale"]> } = {},
): DeploymentRequest {
  const { scale, ...rest } = change;
  const config = { ...plainConfig, scale: { ...defaultScale, ...scale } };
  return {
    name: "chat",
    inspection: {
      schema: 1,
      target: "serve",
      kind: "function",
      dialect: "deployctl",
      line: 1,
      config: {},
      dynamic: [],
      env_read: [],
      files: [],
      executables: [],
      command: [],
      stubbed: [],
      warnings: [],
    },
    config,
    bundle: {
      script: "app.py",
      files: [
        {
          path: "app.py",
          contentBase64: Buffer.from(text).toString("base64"),
          isExecutable: false,
        },
      ],
    },
    ...rest,
  };
}

export interface OpenControlPlane {
  plane: ControlPlane;
  store: CloudStore;
  engine: ScriptedEngine;
  traffic: ScriptedTraffic;
  folder: string;
  clock: Clock;
  log: string[];
  /** @returns all events */
  deploy(request: DeploymentRequest): Promise<DeployEvent[]>;
  /** Replaces the control plane by a new one on the same state. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openControlPlane(
  options: Pick<ControlPlaneOptions, "stableMs"> = {},
): Promise<OpenControlPlane> {
  const folder = mkdtempSync(path.join(tmpdir(), "deployctl-plane-"));
  const clock = fastClock();
  const engine = new ScriptedEngine();
  const log: string[] = [];
  const begin = async (traffic: ScriptedTraffic) => {
    const database = StateDatabase.open(stateFile(folder), { clock });
    const store = openStore(database, folder, clock);
    const plane = new ControlPlane({
      ...{ store, engine, traffic, clock },
      log: (text) => log.push(text),
      baseUrl: () => "http://127.0.0.1:8480",
      random: () => 0.5,
      intervalMs: 10,
      ...options,
    });
    await plane.adopt();
    await plane.start();
    return { plane, store, traffic };
  };
  const open: OpenControlPlane = {
    ...(await begin(new ScriptedTraffic())),
    ...{ engine, folder, clock, log },
    deploy: async (request) => {
      const about = { organisation: "local", createdBy: undefined };
      const events: DeployEvent[] = [];
      for await (const event of await open.plane.deployments.deploy(request, about))
        events.push(event);
      return events;
    },
    restart: async () => {
      await open.plane.close();
      open.store.database.close();
      Object.assign(open, await begin(new ScriptedTraffic()));
    },
    close: async () => {
      await open.plane.close();
      open.store.database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return open;
}
