// Assembles the control plane with its state and engine; the gateway connects to it.
import { systemClock } from "../../base/clock.ts";
import { packageVersion } from "../../base/package-facts.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { type AdminServer, createAdminServer } from "../../cloud/admin/create-admin-server.ts";
import type { ServerProcesses, ServerStatus } from "../../cloud/admin/documents.ts";
import { checkName } from "../../cloud/app-name.ts";
import { ControlPlane } from "../../cloud/control-plane/control-plane.ts";
import type { Engine } from "../../cloud/engines/engine.ts";
import { readEngineSettings } from "../../cloud/engines/engine-settings.ts";
import { createEnvironments } from "../../cloud/engines/process/environment.ts";
import type { PortRange } from "../../cloud/engines/process/port-pool.ts";
import { createProcessEngine } from "../../cloud/engines/process/process-engine.ts";
import { proxyOf } from "../../cloud/engines/ray/check-cluster.ts";
import { createRayEngine } from "../../cloud/engines/ray/ray-engine.ts";
import { Gateway } from "../../cloud/gateway/gateway.ts";
import type { ListenerOptions } from "../../cloud/gateway/gateway-options.ts";
import { RemoteGateway } from "../../cloud/gateway-link/remote-gateway.ts";
import { CloudKeyStore } from "../../cloud/keys/cloud-key-store.ts";
import { pepperFile } from "../../cloud/keys/pepper.ts";
import { queueAdministration } from "../../cloud/queue/queue-administration.ts";
import { defaultQueueLimits, type QueueLimits } from "../../cloud/queue/queue-limits.ts";
import { QueueServer } from "../../cloud/queue/queue-server.ts";
import { RequestQueue } from "../../cloud/queue/request-queue.ts";
import type { AppKey } from "../../cloud/state/app-records.ts";
import { type CloudStore, openStore } from "../../cloud/state/cloud-store.ts";
import { StateDatabase, stateFile } from "../../cloud/state/database.ts";
import { takeLock } from "../../cloud/state/lock-file.ts";
import { Reservations } from "../../cloud/state/reservations.ts";
import { outsideUrlOf } from "../../configuration/address.ts";
import { keyAdministration } from "./cloud-keys.ts";
import { adminSocket, drainMs, gatewaySocket, queueSocket, runsSocket } from "./cloud-server.ts";
import { CloudUsage } from "./cloud-usage.ts";
import { rayClientOf } from "./engine-choice.ts";

export interface CloudHostOptions {
  /** Created with mode 0700. */
  stateFolder: string;
  /** Default organisation of apps and keys. */
  organisation: string;
  /** Addresses of the admin API for other machines, which need an admin key. */
  adminListeners?: readonly ListenerOptions[];
  /** Public URL of the gateway. Defaults to its first address. */
  baseUrl?: string | undefined;
  portRange?: PortRange | undefined;
  /** Opens shells next to replicas, and forwards ports, also for other machines. */
  allowsRemoteShell?: boolean;
  queueLimits?: Partial<QueueLimits> | undefined;
  /**
   * Uptime after which a replica's end does not count as a repeated failure. Defaults to 10 s.
   */
  stableMs?: number;
  /** Returns the processes of a supervised server. */
  processes?: () => Partial<ServerProcesses>;
  log: (text: string) => void;
}

export interface StopOptions {
  /** Limit on waiting for running requests. */
  drainMs: number;
  /** Keeps replicas running for the next start. */
  keepReplicas: boolean;
}

export interface CloudHost {
  status(): ServerStatus;
  /** Also called by the admin API. A second call can only shorten the wait. */
  stop(options: StopOptions): Promise<void>;
  /** Resolves when everything has stopped. */
  stopped: Promise<void>;
}

interface HostedServer {
  admin?: AdminServer;
  controlPlane?: ControlPlane;
  adminGateway?: Gateway;
  queue?: RequestQueue;
}

interface GatewaySurroundings {
  keys: CloudKeyStore;
  usage: CloudUsage;
  server: HostedServer;
  parts: Parts;
}

const backupCheckMs = 3_600_000;

/**
 * Starts the server; resolves when it accepts calls and commands.
 *
 * @throws ProductError `CLOUD_ALREADY_RUNNING`, `CLOUD_STATE_CORRUPT` and others of the state,
 *   `CLOUD_ADDRESS_UNUSABLE` and others of the addresses, after stopping all parts
 */
export async function startCloudHost(options: CloudHostOptions): Promise<CloudHost> {
  checkName("organisation", options.organisation);
  const parts = new Parts();
  try {
    return await assemble(options, parts);
  } catch (error) {
    await parts.takeDown(options.log);
    throw error;
  }
}

/** Parts that were started, to be stopped in reverse order. */
class Parts {
  readonly #downs: (() => void | Promise<void>)[] = [];

  add(takeDown: () => void | Promise<void>): void {
    this.#downs.push(takeDown);
  }

  /** A part that fails to stop does not block the others. */
  async takeDown(log: (text: string) => void): Promise<void> {
    for (let down = this.#downs.pop(); down !== undefined; down = this.#downs.pop()) {
      try {
        await down();
      } catch (error) {
        log(`stopping: ${describeError(error)}`);
      }
    }
  }
}

async function assemble(options: CloudHostOptions, parts: Parts): Promise<CloudHost> {
  const { stateFolder, organisation, log } = options;
  const ending: StopOptions = { drainMs: 0, keepReplicas: true };
  const server: HostedServer = {};
  let isReady = false;

  parts.add(takeLock(stateFolder));
  const database = openDatabase(stateFolder, parts, log);
  // The socket exists as long as the server; the next owner of the lock creates a new one.
  parts.add(() => server.admin?.close());
  const store = openStore(database, stateFolder, systemClock);
  const keys = new CloudKeyStore({ database, pepperFile: pepperFile(stateFolder), log });
  parts.add(() => keys.close());
  const usage = new CloudUsage({
    stateFolder,
    store,
    controlPlane: () => server.controlPlane,
    log,
  });
  parts.add(() => usage.close());
  const gateway = await openGateway(options, { keys, usage, server, parts });
  const queue = openQueue(options, { keys, gateway });
  server.queue = queue;
  const engine = openEngine(options, new Reservations(database), gateway);
  parts.add(() => engine.close());
  const baseUrl = () => {
    const [address] = gateway.addresses;
    if (address === undefined || options.baseUrl !== undefined) return options.baseUrl ?? "";
    return outsideUrlOf({ ...address, path: "" });
  };
  const { stableMs } = options;
  const controlPlane = new ControlPlane({
    ...{ store, engine, traffic: gateway, log, baseUrl, stableMs },
  });
  server.controlPlane = controlPlane;
  parts.add(async () => {
    if (!ending.keepReplicas) await controlPlane.stopReplicas(ending.drainMs);
    await controlPlane.close();
  });
  parts.add(tellInLogs(store, engine));
  await controlPlane.adopt();
  parts.add(() => queue.close());
  parts.add(forgetDeletedApps(store, queue));
  parts.add(() => gateway.close({ drainMs: ending.drainMs }));
  parts.add(() => queue.stopSending());
  const queueServer = new QueueServer({ queue, engine, log });
  parts.add(() => queueServer.close());
  await queueServer.listen(queueSocket(stateFolder));
  await gateway.listen();
  // Only once the gateway listens.
  await controlPlane.start();
  usage.start();
  queue.start();

  const stopped = Promise.withResolvers<void>();
  let stopping: Promise<void> | undefined;
  const stop = async (how: StopOptions): Promise<void> => {
    isReady = false;
    // A second request to stop does not wait for requests.
    if (stopping !== undefined && how.drainMs === 0) await gateway.close(how);
    if (stopping === undefined) Object.assign(ending, how);
    stopping ??= parts.takeDown(log).then(stopped.resolve);
    await stopping;
  };
  const startedAt = Date.now();
  const status = (): ServerStatus => ({
    ...{ version: packageVersion(), processId: process.pid, startedAt, organisation, isReady },
    baseUrl: baseUrl(),
    engine: engine.kind,
    nodes: engine.kind === "ray" ? engine.nodes() : undefined,
    gateway: gateway.addresses.map(({ url }) => url).join(", "),
    adminUrl: server.adminGateway?.addresses[0]?.url,
    apps: controlPlane.documents.apps().length,
    replicas: controlPlane.documents.livingReplicas().length,
    isStopping: stopping !== undefined,
    problem: controlPlane.stateFault,
    ...options.processes?.(),
  });
  const cutRequestsOf = (keyId: string) => {
    void queue.cancelAll({ keyId });
    gateway.cutRequestsOf(keyId);
  };
  const admin = await createAdminServer({
    ...{ organisation, controlPlane, store, engine, usage, status, log },
    allowsRemoteShell: options.allowsRemoteShell ?? false,
    queue: queueAdministration(queue),
    keys: keyAdministration({ keys, organisation, cutRequestsOf }),
    stop: ({ drain, keepReplicas }) => void stop({ drainMs: drain ? drainMs : 0, keepReplicas }),
  });
  server.admin = admin;
  server.adminGateway = await openAdminGateway(options, { keys, admin, parts });
  await admin.listen(adminSocket(stateFolder));
  isReady = true;
  return { status, stop, stopped: stopped.promise };
}

/** Resolves when the gateway process has connected. */
async function openGateway(
  { stateFolder, log }: CloudHostOptions,
  { keys, usage, server, parts }: GatewaySurroundings,
): Promise<RemoteGateway> {
  const gateway = await RemoteGateway.open({
    socketPath: gatewaySocket(stateFolder),
    keys: () => keys.stored(),
    onFinished: (record) => {
      usage.observe(record);
      server.controlPlane?.noteAnswer(record);
      if (record.keyId !== undefined) keys.noteUse(record.keyId, Date.now());
    },
    onStopRequested: (replica) => stopAsWished(server.controlPlane, replica, log),
    waitingInQueue: (of, app) =>
      server.queue?.demand({ organisation: of, app }) ?? { queued: 0, oldestQueuedMs: 0 },
    onPublished: () => server.queue?.wake(),
  });
  // Its socket would keep a process running that cannot start.
  parts.add(() => gateway.disconnect());
  await gateway.connected();
  parts.add(keys.onChange(() => gateway.publishKeys()));
  return gateway;
}

function openQueue(
  { stateFolder, queueLimits, log }: CloudHostOptions,
  { keys, gateway }: { keys: CloudKeyStore; gateway: RemoteGateway },
): RequestQueue {
  return new RequestQueue({
    ...{ stateFolder, log },
    limits: { ...defaultQueueLimits, ...queueLimits },
    runsSocket: runsSocket(stateFolder),
    openSlots: ({ organisation, app }) => gateway.openSlots(organisation, app),
    findKey: (id) => keys.list().find((key) => key.id === id),
    onDemand: ({ organisation, app }) => gateway.noteDemand(organisation, app),
  });
}

function openDatabase(
  stateFolder: string,
  parts: Parts,
  log: (text: string) => void,
): StateDatabase {
  const database = StateDatabase.open(stateFile(stateFolder));
  parts.add(() => database.close());
  keepBackups(database, parts, log);
  return database;
}

function openEngine(
  { stateFolder, portRange, log }: CloudHostOptions,
  reservations: Reservations,
  gateway: RemoteGateway,
): Engine {
  const isBusy = (replica: string) => gateway.inFlight(replica) > 0;
  const settings = readEngineSettings(stateFolder);
  if (settings.kind === "ray") {
    const { owner } = settings;
    const client = rayClientOf(settings);
    return createRayEngine({ stateFolder, client, owner, proxy: proxyOf(settings), isBusy, log });
  }
  return createProcessEngine({
    stateFolder,
    reservations,
    prepareEnvironment: createEnvironments({ stateFolder }),
    isBusy,
    log,
    ...(portRange !== undefined && { portRange }),
  });
}

/** Cancels requests of deleted apps, also of those that were deleted while this process did not run. */
function forgetDeletedApps(store: CloudStore, queue: RequestQueue): () => void {
  const forget = (app: AppKey) => void queue.forget(app);
  const isGone = (app: AppKey) => /^delet/.test(store.apps.find(app)?.desired ?? "deleted");
  for (const app of queue.store.openApps().filter(isGone)) forget(app);
  return store.events.follow(({ kind, organisation, app }) => {
    if (kind === "deleted") forget({ organisation, app });
  });
}

/** Writes events into the logs of their revisions. */
function tellInLogs(store: CloudStore, engine: Engine): () => void {
  return store.events.follow(({ organisation, app, revision, sentence }) => {
    if (revision !== undefined) engine.record({ organisation, app, revision }, sentence);
  });
}

function keepBackups(database: StateDatabase, parts: Parts, log: (text: string) => void): void {
  const backUp = () => {
    try {
      database.backupWhenDue();
    } catch (error) {
      // The server continues with a full disk.
      log(`cannot back up the state: ${describeError(error)}`);
    }
  };
  backUp();
  const timer = setInterval(backUp, backupCheckMs);
  parts.add(() => clearInterval(timer));
}

/** Opens the admin API for other machines, with the gateway's encryption and keys. */
async function openAdminGateway(
  { adminListeners = [], log }: CloudHostOptions,
  { keys, admin, parts }: { keys: CloudKeyStore; admin: AdminServer; parts: Parts },
): Promise<Gateway> {
  const gateway = new Gateway({
    listeners: adminListeners,
    keys,
    internalRoute: (request, response, key) => admin.answer(request, response, key),
    log,
  });
  parts.add(() => gateway.close({ drainMs: 0 }));
  await gateway.listen();
  return gateway;
}

/** Stops a replica on its own request. */
function stopAsWished(
  controlPlane: ControlPlane | undefined,
  replica: string,
  log: (text: string) => void,
): void {
  try {
    controlPlane?.commands.stopReplica(replica, { replace: false });
  } catch (error) {
    // It has already ended.
    if (!(error instanceof ProductError)) throw error;
    log(error.message);
  }
}
