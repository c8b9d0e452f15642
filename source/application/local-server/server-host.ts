// Assembles, starts and stops a server.
import { randomBytes } from "node:crypto";
import type { MinimumRate } from "../../base/body-rate.ts";
import { packageVersion } from "../../base/package-facts.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { ApiClient, type ServerConnection } from "../../client/api-client.ts";
import {
  removeServerFile,
  type ServerFile,
  secureConnection,
  writeServerFile,
} from "../../client/server-file.ts";
import { isLoopback, type ServerAddress, urlOf } from "../../configuration/address.ts";
import { type ProductPaths, productPaths, writingState } from "../../configuration/paths.ts";
import type { Settings } from "../../configuration/settings.ts";
import { plainRequest } from "../../engine/request.ts";
import { CardMemory } from "../../engine/scheduler/card-plan.ts";
import { Scheduler } from "../../engine/scheduler/scheduler.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import { RequestLog } from "../../request-log/request-log.ts";
import { Transcripts } from "../../request-log/transcripts.ts";
import { serverErrors } from "../../server/errors.ts";
import type { CertificatePair } from "../../tls/certificate-files.ts";
import { openTracing } from "../../tracing/tracing.ts";
import { freeCardBytes } from "../models/memory-fit.ts";
import { ModelLibrary } from "../models/model-library.ts";
import { drainRequests, untilRequestsEnd } from "./drain.ts";
import { engineSettings, promptHousekeeping } from "./engine-settings.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { loadedSamples, requestsSample } from "./metric-samples.ts";
import { keyPolicy, openServerKeys } from "./server-keys.ts";

export interface HostOptions {
  settings: Settings;
  /** Path of server.json; undefined for a private server. */
  stateFolder: string | undefined;
  /** Undefined: the default port, or the next free one. Port 0: any free one. */
  address: ServerAddress | undefined;
  /** Number of ports after the address's own that may be used instead. Defaults to none. */
  morePorts?: number;
  log: (text: string) => void;
  /** The store's folder; undefined: the default one. */
  paths?: Pick<ProductPaths, "data" | "cache">;
  /** Model to load, from before the server is up. */
  preload?: string;
  /** Minimum rate of request bodies. Defaults to `usualRate`. */
  bodyRate?: MinimumRate;
}

/** Time for cancelled requests to send their error. */
const lastWordsMs = 1000;

export interface HostedServer {
  url: string;
  /** For clients of this process; its certificate is renewed with the server's. */
  connection: ServerConnection;
  /** Resolves when the model to preload is loaded, if any. Rejects if that fails. */
  preloaded: Promise<void>;
  ownerToken: string;
  /** Notices for the user: another port is used, or the server is open to the network. */
  notices: string[];
  requestLog: RequestLog;
  scheduler: Scheduler;
  log: (text: string) => void;
  /** Number of open screens of modelctl, including this process's. */
  watchers(): number;
  /**
   * Stops listening, and resolves when running requests have ended or the limit is over; call `close`
   * then.
   *
   * @param limitMs Infinity: no limit
   */
  drain(limitMs: number): Promise<void>;
  /** Stops listening, and ends requests and runners. */
  close(): Promise<void>;
}

/** @throws ProductError of `listen`, `serverCertificate` and `writingState` */
export async function hostServer(options: HostOptions): Promise<HostedServer> {
  const { settings, stateFolder, log, paths = productPaths() } = options;
  const certificate = await certificateOf(options);
  const library = new ModelLibrary(settings, paths);
  const { catalog } = library;
  const requestLog = new RequestLog();
  const keys = openServerKeys(paths, log);
  const policy = keyPolicy(settings, options.address, keys);
  let metrics: ServerMetrics | undefined;
  const ready = Promise.withResolvers<void>();
  const scheduler = new Scheduler({
    catalog,
    engine: engineSettings(settings, paths),
    keepAliveMs: settings.keep_alive,
    loadTimeoutMs: settings.load_timeout,
    templateTimeoutMs: settings.template_timeout,
    looseCalls: settings.loose_calls,
    maxLoadedModels: settings.max_loaded_models,
    // If several servers start at once, only the one that gets the address loads models.
    mayLoad: ready.promise,
    card: new CardMemory(() => freeCardBytes(settings.gpu)),
    log,
    // llama.cpp prints hundreds of lines at every load.
    engineLog: settings.debug ? log : () => {},
    onLoaded: (milliseconds) => metrics?.modelLoaded(milliseconds),
    onEvicted: () => metrics?.modelEvicted(),
    onCrashed: () => metrics?.runnerCrashed(),
  });
  // The runner's process starts while Fastify is imported.
  const givingUp = new AbortController();
  let isLoading = options.preload !== undefined;
  const preloaded = preload(scheduler, options.preload, givingUp.signal).finally(() => {
    isLoading = false;
  });
  preloaded.catch((error: unknown) => {
    // Requests for the model get the same error.
    if (!givingUp.signal.aborted) log(`cannot preload ${options.preload}: ${describeError(error)}`);
  });
  const ownerToken = randomBytes(24).toString("base64url");
  let isLocal = true;
  const { ServerMetrics } = await import("../../metrics/server-metrics.ts");
  const { MachineMonitor } = await import("../../metrics/machine-monitor.ts");
  const { createServer } = await import("../../server/create-server.ts");
  const { listen } = await import("../../server/listen.ts");
  const { MachineSpeed } = await import("../speed/machine-speed.ts");
  const { learnSpeeds } = await import("../speed/learn-speed.ts");
  const counted = new ServerMetrics(() => loadedSamples(scheduler));
  metrics = counted;
  const transcripts = new Transcripts(settings.log_prompts);
  const monitor = new MachineMonitor({
    models: () => loadedSamples(scheduler),
    generatedTokens: () => counted.generatedTokens,
    requests: () => requestsSample(requestLog, Date.now(), transcripts.isRecording),
  });
  const speeds = await MachineSpeed.open(settings, paths);
  const stopLearning = learnSpeeds(speeds.records, requestLog, scheduler);
  const tracing = await openTracing("modelctl", log);
  const stopping = new AbortController();
  const app = await createServer(
    {
      version: packageVersion(),
      catalog,
      library,
      scheduler,
      requestLog,
      transcripts,
      metrics: counted,
      tracing,
      monitor,
      speeds,
      recommend: async (signal) => await library.recommend({ signal }, { values: settings, paths }),
      keyAccess: {
        keys,
        isRequired: policy.isRequired,
        requestsPerMinute: settings.key_requests_per_minute,
      },
      limits: {
        bodyBytes: settings.max_body_size,
        imageBytes: settings.max_image_size,
        bodyRate: options.bodyRate,
      },
      images: { fetchesRemote: settings.allow_remote_images },
      stablePrompts: settings.stable_prompts,
      ownerToken,
      modelFolders: settings.model_folders,
      origins: settings.origins,
      allowedHosts: settings.allowed_hosts,
      log,
      ready: ready.promise,
      isLoading: () => isLoading,
      stopping: stopping.signal,
    },
    () => isLocal,
    certificate?.pair,
  );
  try {
    const { address, url, notice } = await listen(
      app,
      options.address,
      (found) => identify(found, stateFolder),
      options.morePorts,
      certificate !== undefined,
    );
    isLocal = isLoopback(address.host);
    const connection: ServerConnection = { url, ownerToken };
    const file: ServerFile = { pid: process.pid, url, token: ownerToken };
    const publish = (pair: CertificatePair | undefined): void => {
      if (pair !== undefined) {
        const trusted = { certificate: pair.cert, authority: certificate?.authority };
        Object.assign(connection, trusted);
        Object.assign(file, trusted);
      }
      if (stateFolder === undefined) return;
      writingState(stateFolder, () => writeServerFile(stateFolder, file));
    };
    publish(certificate?.pair);
    const stopWatching = certificate?.watch(app.server, publish, log);
    ready.resolve();
    const leave = () => {
      if (stopping.signal.aborted) return;
      // First, so that no client finds this server.
      if (stateFolder !== undefined) forgetServer(stateFolder, file, log);
      stopping.abort();
      stopWatching?.();
      // Frees the port; connections with running requests stay.
      app.server.close();
    };
    const leaveHouse = startHousekeeping(library.store, log, {
      promptCache: promptHousekeeping(settings, paths),
      stateFolder,
    });
    const notices = [notice, policy.notice].filter((text) => text !== undefined);
    return {
      url,
      connection,
      preloaded,
      ownerToken,
      notices,
      requestLog,
      scheduler,
      log,
      watchers: () => monitor.followers,
      drain: async (limitMs) => {
        leave();
        await drainRequests(requestLog, limitMs, log);
      },
      close: async () => {
        leave();
        await Promise.all([scheduler.close(), leaveHouse()]);
        // Cancelled requests send an error.
        await untilRequestsEnd(requestLog, lastWordsMs);
        await app.close();
        await Promise.all([tracing?.close(), stopLearning()]);
        keys.close();
      },
    };
  } catch (error) {
    givingUp.abort();
    await Promise.all([app.close(), scheduler.close()]);
    throw error;
  }
}

/**
 * Checks that no other program listens on an address, before a server is started in the background.
 *
 * @throws ProductError `SERVER_PORT_TAKEN`
 */
export async function refuseTakenAddress(address: ServerAddress): Promise<void> {
  if ((await new ApiClient({ url: urlOf(address) }).identify()) !== "other") return;
  const { portTaken } = await import("../../server/listen.ts");
  throw await portTaken(address);
}

/** True if starting failed because a modelctl server already runs there. */
export function isAlreadyRunning(error: unknown): boolean {
  return error instanceof ProductError && error.code === serverErrors.alreadyRunning.code;
}

/** A server stops even if its record stays: clients notice that nothing answers there. */
function forgetServer(stateFolder: string, file: ServerFile, log: (text: string) => void): void {
  try {
    writingState(stateFolder, () => removeServerFile(stateFolder, file));
  } catch (error) {
    log(describeError(error));
  }
}

async function identify(
  url: string,
  stateFolder: string | undefined,
): Promise<"modelctl" | "other"> {
  const secure = stateFolder === undefined ? undefined : secureConnection(stateFolder, url);
  return (await new ApiClient(secure ?? { url }).identify()) ?? "other";
}

/** A private server, which no other program uses, needs no certificate. */
async function certificateOf({ settings, stateFolder, address }: HostOptions) {
  const { tls, tls_cert: certificate, tls_key: key } = settings;
  if (stateFolder === undefined || (tls ?? certificate ?? key) === undefined) return undefined;
  // Imported late: it loads TLS.
  const { ServerCertificate } = await import("./server-certificate.ts");
  return await ServerCertificate.open(settings, address, stateFolder);
}

async function preload(
  scheduler: Scheduler,
  model: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (model === undefined) return;
  const access = { model, isFileAllowed: () => true };
  const resolved = await scheduler.resolve(access);
  const request = plainRequest({ ...access, input: { kind: "load" } });
  for await (const _ of scheduler.run(request, resolved, signal)) {
    // Loads the model.
  }
}
