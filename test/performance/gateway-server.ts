// A deployctl server with one app, as `deployctl up` runs it: a gateway process, and a control plane that
// keeps keys, metrics, usage and the access log, but no replicas.
// `node gateway-server.ts FOLDER ENDPOINT…` sends its parent a StartedServer; each endpoint is a replica.

import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { gatewaySocket } from "../../source/application/cloud-host/cloud-server.ts";
import { runGateway } from "../../source/application/cloud-host/gateway-process.ts";
import { defaultLimits, defaultScale } from "../../source/cloud/app-config.ts";
import type { ListenerOptions } from "../../source/cloud/gateway/gateway-options.ts";
import { RemoteGateway } from "../../source/cloud/gateway-link/remote-gateway.ts";
import { CloudKeyStore } from "../../source/cloud/keys/cloud-key-store.ts";
import { pepperFile } from "../../source/cloud/keys/pepper.ts";
import { AccessLog } from "../../source/cloud/metrics/access-log.ts";
import { CloudMetrics } from "../../source/cloud/metrics/cloud-metrics.ts";
import { UsageStore } from "../../source/cloud/metrics/usage-store.ts";
import { StateDatabase, stateFile } from "../../source/cloud/state/database.ts";
import { routedApp } from "../support/cloud-documents.ts";
import { findFreePort } from "./server-process.ts";

export interface StartedServer {
  url: string;
  token: string;
  /** The control plane, then the gateway. */
  processIds: number[];
}

const isGateway = process.env.GATEWAY_PORT !== undefined;
const [stateFolder = "", ...endpoints] = process.argv.slice(2);
const log = (text: string) => process.stderr.write(`${text}\n`);

if (isGateway) serve(Number(process.env.GATEWAY_PORT));
else process.send?.(await startServer());
process.on("disconnect", () => process.exit(0));

function serve(port: number): void {
  const listeners: ListenerOptions[] = [{ host: "127.0.0.1", port, encryption: { kind: "none" } }];
  const onListening = () => process.send?.("listening");
  void runGateway({ stateFolder, organisation: "acme", listeners, log, onListening });
}

async function startServer(): Promise<StartedServer> {
  const database = StateDatabase.open(stateFile(stateFolder));
  const keys = new CloudKeyStore({ database, pepperFile: pepperFile(stateFolder), log });
  const { token } = keys.create({ organisation: "acme", scope: "api" });
  const metrics = new CloudMetrics(() => []);
  const usage = new UsageStore(database, { log, findApp: () => ({ isEphemeral: false }) });
  const accessLog = new AccessLog({ file: path.join(stateFolder, "logs", "access.log"), log });
  const remote = await RemoteGateway.open({
    socketPath: gatewaySocket(stateFolder),
    keys: () => keys.stored(),
    onFinished: (record) => {
      metrics.observe(record);
      usage.addRequest(record);
      accessLog.write(record);
    },
    onStopRequested: () => {},
  });
  remote.publish([
    routedApp({
      auth: "private",
      scale: { ...defaultScale, maxConcurrency: endpoints.length, maxMultiplexing: 10_000 },
      limits: defaultLimits,
      replicas: endpoints.map((endpoint, index) => ({
        ...{ replica: `replica-${index + 1}`, revision: "r1", endpoint },
        ...{ isOpen: true, readyAt: 0 },
      })),
    }),
  ]);
  remote.allowListening();
  const port = await findFreePort();
  const { pid } = await startGateway(port);
  const processIds = pid === undefined ? [process.pid] : [process.pid, pid];
  return { url: `http://127.0.0.1:${port}/acme/chat`, token, processIds };
}

/** Resolves when it listens. */
async function startGateway(port: number): Promise<ChildProcess> {
  const child = fork(import.meta.filename, [stateFolder], {
    env: { ...process.env, GATEWAY_PORT: String(port) },
  });
  return await new Promise((resolve, reject) => {
    child.once("message", () => resolve(child));
    child.once("exit", () => reject(new Error("the gateway has ended")));
  });
}
