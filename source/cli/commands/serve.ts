// modelctl serve: hosts the server in this process until it is told to stop.
import { keepServing } from "../../application/keep-serving.ts";
import {
  type HostedServer,
  hostServer,
  isAlreadyRunning,
} from "../../application/local-server/server-host.ts";
import { createServerLog, logRequests } from "../../application/local-server/server-log.ts";
import { exitCodes } from "../../base/product-error.ts";
import type { Run } from "../program/definition.ts";
import { endServer, firstSignal, stopSignals, untilIdle } from "../server-life.ts";
import { readSettings } from "../session-settings.ts";
import type { serverCommands } from "./server.definition.ts";

export const serve: Run<typeof serverCommands.serve> = async (_words, flags) => {
  const settings = readSettings(flags);
  const { log_format: format, debug, shutdown_timeout: shutdownMs } = settings.values;
  const serverLog = createServerLog(format ?? "pretty", (line) => process.stderr.write(line));
  const { log, announce } = serverLog;
  const signalled = firstSignal(stopSignals);
  let hosted: HostedServer;
  try {
    hosted = await hostServer({
      settings: settings.values,
      stateFolder: settings.paths.state,
      address: settings.address,
      log,
      paths: settings.paths,
      ...(flags.preload !== undefined && { preload: flags.preload }),
    });
  } catch (error) {
    // Started twice at the same time: the other one serves.
    if (flags.background && isAlreadyRunning(error)) return exitCodes.ok;
    throw error;
  }
  const stopKeeping = keepServing(log);
  if (format !== undefined || debug) logRequests(hosted.requestLog, serverLog);
  for (const notice of hosted.notices) announce(notice);
  announce(`modelctl is listening on ${hosted.url}`);
  const { authority } = hosted.connection;
  if (authority !== undefined) {
    announce(`Clients must trust ${authority}: NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, curl --cacert.`);
  }
  const code = await (flags.background
    ? Promise.race([signalled, untilIdle(hosted)])
    : Promise.race([signalled, untilLoadFails(hosted)]));
  await endServer(hosted, shutdownMs);
  stopKeeping();
  return code;
};

/** Never resolves. @throws ProductError if the model to preload cannot be loaded, after closing the server */
async function untilLoadFails(hosted: HostedServer): Promise<never> {
  try {
    await hosted.preloaded;
  } catch (error) {
    await hosted.close();
    throw error;
  }
  return await new Promise<never>(() => {});
}
