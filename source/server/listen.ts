// Binds the server to an address; names the program that holds a taken one.
import type { FastifyInstance } from "fastify";
import { portHolder } from "../base/listening-sockets.ts";
import { ProductError } from "../base/product-error.ts";
import {
  defaultHost,
  defaultPort,
  lastFallbackPort,
  type ServerAddress,
  urlOf,
} from "../configuration/address.ts";
import { serverErrors } from "./errors.ts";

export interface Listening {
  address: ServerAddress;
  url: string;
  /** Shown when a port other than the default was used. */
  notice: string | undefined;
}

const usualAddress: ServerAddress = {
  host: defaultHost,
  port: defaultPort,
  scheme: "http",
  path: "",
};
const portTakenCode: string = serverErrors.portTaken.code;
const alreadyRunningCode: string = serverErrors.alreadyRunning.code;

/** Identifies the server at a URL: one of ours, or another program. */
export type IdentifyServer = (url: string) => Promise<"modelctl" | "other">;

/**
 * @param wanted undefined: the default port, or the next free one when another program holds it
 * @param morePorts number of ports above the wanted one to try in turn; a server of ours on one of them
 *   counts as another program
 * @param isEncrypted the app has a certificate
 * @throws ProductError `SERVER_ALREADY_RUNNING`, `SERVER_PORT_TAKEN`, `SERVER_ADDRESS_UNUSABLE`
 */
export async function listen(
  app: FastifyInstance,
  wanted: ServerAddress | undefined,
  identify: IdentifyServer,
  morePorts = 0,
  isEncrypted = false,
): Promise<Listening> {
  const first = { ...(wanted ?? usualAddress), ...(isEncrypted && { scheme: "https" as const }) };
  const last = wanted === undefined ? lastFallbackPort : Math.min(wanted.port + morePorts, 65_535);
  const passedBy = morePorts > 0 ? [portTakenCode, alreadyRunningCode] : [portTakenCode];
  for (let { port } = first; port <= last; port += 1) {
    try {
      const bound = await bind(app, { ...first, port }, identify);
      if (port === first.port) return bound;
      const notice = `Port ${first.port} is already in use; using ${port}.`;
      return { ...bound, notice };
    } catch (error) {
      const isPassedBy = error instanceof ProductError && passedBy.includes(error.code);
      if (!isPassedBy || port === last) throw error;
    }
  }
  throw new Error("unreachable: the last port returned or threw");
}

async function bind(
  app: FastifyInstance,
  address: ServerAddress,
  identify: IdentifyServer,
): Promise<Listening> {
  const { host, port } = address;
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw await explain(error, address, identify);
  }
  const bound = app.server.address();
  const actual = { ...address, port: typeof bound === "object" && bound ? bound.port : port };
  return { address: actual, url: urlOf(actual), notice: undefined };
}

async function explain(
  error: unknown,
  address: ServerAddress,
  identify: IdentifyServer,
): Promise<unknown> {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const where = `${address.host}:${address.port}`;
  if (code === "EADDRINUSE") {
    const url = urlOf(address);
    if ((await identify(url)) === "modelctl") {
      return new ProductError(serverErrors.alreadyRunning, {
        message: `A modelctl server is already running at ${url}.`,
        hint: "Use it, or choose another port with --port.",
        cause: error,
      });
    }
    return await portTaken(address, error);
  }
  const reasons: Record<string, string> = {
    EADDRNOTAVAIL: "this machine has no such address",
    EACCES: "ports below 1024 need administrator rights",
    ENOTFOUND: "the host name is unknown",
    EAI_AGAIN: "the host name could not be looked up",
  };
  const reason = typeof code === "string" ? reasons[code] : undefined;
  if (reason === undefined) return error;
  return new ProductError(serverErrors.addressUnusable, {
    message: `Cannot listen on ${where}: ${reason}.`,
    hint: "Choose another address with --host and --port.",
    cause: error,
  });
}

/** Error for an address in use; names the program that holds it if the system tells. */
export async function portTaken(
  { host, port }: ServerAddress,
  cause?: unknown,
): Promise<ProductError> {
  const holder = await portHolder(port);
  return new ProductError(serverErrors.portTaken, {
    message: `Port ${port} on ${host} is already in use${holder === undefined ? "" : ` by ${holder}`}.`,
    hint: "Stop that program, or choose another port with --port.",
    cause,
  });
}
