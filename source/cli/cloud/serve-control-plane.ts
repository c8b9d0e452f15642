// deployctl up --foreground: the control plane and the gateway in this process, until it is stopped.
import { type CloudHost, startCloudHost } from "../../application/cloud-host.ts";
import { drainMs, startFaultLine } from "../../application/control-plane-process.ts";
import { tellReplicasOfModelctl } from "../../application/deploy-script.ts";
import { logLine } from "../../application/log-file.ts";
import { exitCodes, ProductError } from "../../base/product-error.ts";
import { readServer } from "./read-server.ts";
import type { Session } from "./session.ts";

export async function serveControlPlane(session: Session): Promise<number> {
  tellReplicasOfModelctl();
  const host = await start(session);
  log(`deployctl answers on ${host.status().baseUrl}`);
  let code: number = exitCodes.ok;
  let stopsAsked = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (signal === "SIGINT") code = exitCodes.interrupted;
      log(`stopping (${signal})`);
      // A second request to stop does not wait for requests.
      void host.stop({ drainMs: stopsAsked === 0 ? drainMs : 0, keepReplicas: false });
      stopsAsked += 1;
    });
  }
  await host.stopped;
  log("stopped");
  return code;
}

async function start(session: Session): Promise<CloudHost> {
  try {
    return await startCloudHost({ ...readServer(session), log });
  } catch (error) {
    // The process that started it in the background reads the error here.
    if (error instanceof ProductError) log(startFaultLine(error.code));
    throw error;
  }
}

function log(text: string): void {
  process.stderr.write(logLine(text));
}
