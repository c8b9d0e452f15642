// deployctl's server as `deployctl up --foreground` runs it: the supervisor, and the processes that it starts,
// in which replicas and processes that tests kill come back at once.
// `node host-process.mts STATE_FOLDER PORT ADMIN_PORT`; without the last one there is no admin address.
import { flushCompileCache } from "node:module";
import {
  type CloudHostOptions,
  startCloudHost,
} from "../../../source/application/cloud-host/cloud-host.ts";
import { startFaultLine, tlsFolder } from "../../../source/application/cloud-host/cloud-server.ts";
import { runGateway } from "../../../source/application/cloud-host/gateway-process.ts";
import { readProcesses } from "../../../source/application/cloud-host/server-processes.ts";
import {
  readyMessage,
  supervisedRole,
} from "../../../source/application/cloud-host/supervised-process.ts";
import { Supervisor } from "../../../source/application/cloud-host/supervisor.ts";
import { describeError, ProductError } from "../../../source/base/product-error.ts";

const [program = "", stateFolder = "", port = "0", adminPort] = process.argv.slice(1);
const host = "127.0.0.1";
const log = (text: string) => process.stderr.write(`${text}\n`);
const settings: Omit<CloudHostOptions, "listeners"> = {
  stateFolder,
  organisation: "local",
  stableMs: 0,
  log,
};
const listeners = [{ host, port: Number(port), encryption: { kind: "none" } }] as const;

try {
  process.exitCode = await serve();
} catch (error) {
  if (error instanceof ProductError) log(startFaultLine(error.code));
  log(`Error: ${describeError(error)}`);
  process.exitCode = error instanceof ProductError ? error.exitCode : 1;
}
process.exit();

async function serve(): Promise<number> {
  const role = supervisedRole();
  if (role === undefined) {
    const words = [program, stateFolder, port, ...(adminPort === undefined ? [] : [adminPort])];
    return await new Supervisor({ stateFolder, words, stableMs: 0, log }).run();
  }
  if (role === "gateway") {
    await runGateway({ ...settings, listeners, onListening: tellReady });
    return 0;
  }
  const encryption = {
    kind: "self-signed",
    folder: tlsFolder(stateFolder),
    names: [host],
  } as const;
  const adminListeners =
    adminPort === undefined ? [] : [{ host, port: Number(adminPort), encryption }];
  const processes = () => readProcesses(stateFolder);
  const server = await startCloudHost({ ...settings, adminListeners, processes });
  tellReady();
  await server.stopped;
  return 0;
}

function tellReady(): void {
  process.send?.(readyMessage);
  // Saves compiled modules for the next process, since Node does so only at its own end, which a kill prevents.
  flushCompileCache();
}
