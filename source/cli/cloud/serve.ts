// Processes of deployctl up --foreground: the supervisor, the control plane and the gateway.
import { writeSync } from "node:fs";
import { drainMs, startFaultLine } from "../../application/cloud-host/cloud-server.ts";
import { readProcesses } from "../../application/cloud-host/server-processes.ts";
import { readyMessage, supervisedRole } from "../../application/cloud-host/supervised-process.ts";
import { keepServing } from "../../application/keep-serving.ts";
import { logLine } from "../../application/local-server/server-log.ts";
import { exitCodes, ProductError } from "../../base/product-error.ts";
import { readServer } from "./read-server.ts";
import type { Session } from "./session.ts";
import { entryFile, upArguments } from "./target.ts";

/**
 * Runs this process in its role until the server is stopped. Each role loads only its modules, as loading
 * takes most of a restart.
 *
 * @returns the exit code
 */
export async function serve(session: Session): Promise<number> {
  const stopKeeping = keepServing(log);
  try {
    const role = supervisedRole();
    if (role === undefined) return await superviseServer(session);
    if (role === "control-plane") return await serveControlPlane(session);
    return await serveGateway(session);
  } catch (error) {
    // For the command that started it in the background.
    if (error instanceof ProductError) log(startFaultLine(error.code));
    throw error;
  } finally {
    stopKeeping();
  }
}

async function superviseServer(session: Session): Promise<number> {
  const { Supervisor } = await import("../../application/cloud-host/supervisor.ts");
  // Checks the settings before starting anything.
  const { stateFolder } = readServer(session);
  const words = [entryFile, "up", "--foreground", ...upArguments(session)];
  const supervisor = new Supervisor({ stateFolder, words, log });
  let code: number = exitCodes.ok;
  onStopSignal((signal) => {
    if (signal === "SIGINT") code = exitCodes.interrupted;
    supervisor.stop(signal);
  });
  return (await supervisor.run()) || code;
}

async function serveGateway(session: Session): Promise<number> {
  const { runGateway } = await import("../../application/cloud-host/gateway-process.ts");
  await runGateway({ ...readServer(session), log, onListening: tellReady });
  return exitCodes.ok;
}

async function serveControlPlane(session: Session): Promise<number> {
  const [{ startCloudHost }, { shareModelctlCommand }] = await Promise.all([
    import("../../application/cloud-host/cloud-host.ts"),
    import("../../application/deploying/deploy-script.ts"),
  ]);
  shareModelctlCommand();
  const { stateFolder, ...options } = readServer(session);
  const host = await startCloudHost({
    ...{ ...options, stateFolder, log },
    processes: () => readProcesses(stateFolder),
  });
  tellReady();
  log(`deployctl answers on ${host.status().baseUrl}`);
  let stopsAsked = 0;
  onStopSignal((signal) => {
    log(`stopping (${signal})`);
    // A second request to stop does not wait for requests.
    void host.stop({ drainMs: stopsAsked === 0 ? drainMs : 0, keepReplicas: false });
    stopsAsked += 1;
  });
  await host.stopped;
  log("stopped");
  return exitCodes.ok;
}

function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
}

function tellReady(): void {
  if (process.connected) process.send?.(readyMessage);
}

/** Writes to the server's log; the standard error of a supervised process is for fatal errors. */
function log(text: string): void {
  if (supervisedRole() === undefined) {
    process.stderr.write(logLine(text));
    return;
  }
  try {
    writeSync(1, logLine(text));
  } catch {
    // The server continues if its log cannot be written.
  }
}
