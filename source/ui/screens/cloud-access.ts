// Interface of the deploy and console screens to deployctl, which the command line implements.
import type { Clock } from "../../base/clock.ts";
import type {
  AppDetails,
  AppDocument,
  DeployEvent,
  DeploymentRequest,
  DeployStrategy,
  EphemeralEvent,
  EventDocument,
  KeyDocument,
  LogDocument,
  NewKeyDocument,
  NewKeyRequest,
  ReplicaDocument,
  RevisionDocument,
  ScaleChange,
  SecretDocument,
  ServerStatus,
  UsageDocument,
} from "../../cloud/admin/documents.ts";
import type { AppConfig, AuthMode, ScaleSettings, TimeLimits } from "../../cloud/app-config.ts";
import type { Inspection } from "../../cloud/inspection/inspection.ts";
import type { FrameServices } from "../frame/screen.ts";
import type { Glyphs } from "../theme.ts";
import type { ChatBackend } from "./chat/chat-backend.ts";

/** Services of the screens for deployments. */
export interface CloudScreenServices {
  readonly cloud: CloudAccess;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
  /** Opens the chat screen on a deployment. @param token undefined: one that fits is found or made */
  readonly chatWith: (server: CloudServer, app: AppDocument, token?: string) => Promise<void>;
}

/** Everything throws ProductErrors, whose messages are shown to the user. */
export interface CloudAccess {
  /** Servers to deploy to: one per profile, the current one first. */
  targets(): Promise<readonly CloudTarget[]>;
  /** @param profile undefined: the one in use. @throws `CONFIGURATION_PROFILE_UNKNOWN` */
  server(profile?: string): CloudServer;
  readonly scripts: ScriptAccess;
  /** Models of this machine that a script can be made for. */
  localModels(): Promise<readonly LocalModel[]>;
  /** Absolute path of the drafts, which may not exist yet. */
  readonly stateFolder: string;
}

/** A place to deploy to. */
export interface CloudTarget {
  /** The profile's name. */
  readonly profile: string;
  readonly isCurrent: boolean;
  /** This machine's own server, which can be started from here. */
  readonly isLocal: boolean;
  /** For a person: `this machine`, or the server's address. */
  readonly place: string;
  /** The organisation that its settings name; undefined: the server's own. */
  readonly organisation: string | undefined;
  /** The hardware that its settings ask for in place of the script's, such as "any". */
  readonly machineType?: string | undefined;
}

export interface LocalModel {
  /** As a script names it. */
  readonly name: string;
  readonly sizeBytes: number;
}

/** Access to one control plane. */
export interface CloudServer {
  readonly target: CloudTarget;
  /** Its admin API. @throws ProductError when the settings lack a key for it */
  readonly client: CloudClient;
  /** Starts this machine's server when none runs; resolves when it is ready. */
  start(): Promise<ServerStatus>;
  /** Resources for replicas; undefined when the server's machine cannot be inspected. */
  capacity(): Promise<MachineCapacity | undefined>;
  /** Leaving early does not end the deployment. */
  deploy(request: DeploymentRequest, signal?: AbortSignal): AsyncIterable<DeployEvent>;
  /** The app lives until the signal aborts. */
  run(request: DeploymentRequest, signal: AbortSignal): AsyncIterable<EphemeralEvent>;
  /** A chat with an app that speaks OpenAI's protocol. @param token undefined: one that fits */
  openChat(app: ChatApp, token?: string): DeploymentBackend;
  /** Asks for the models, then for one short answer. @param token undefined: one that fits */
  testApp(app: CallableApp, token?: string, signal?: AbortSignal): Promise<readonly TestStep[]>;
  /** Example calls to paste: curl, and OpenAI's client. */
  callLines(app: CallableApp, inspection: Inspection | undefined): readonly string[];
}

/** The admin API as far as the screens use it. Times are milliseconds since 1970. */
export interface CloudClient {
  /** @throws `CLOUD_SERVER_UNREACHABLE` when none answers */
  status(): Promise<ServerStatus>;
  apps(): Promise<AppDocument[]>;
  app(app: string): Promise<AppDetails>;
  /** Newest first. */
  revisions(app: string): Promise<RevisionDocument[]>;
  /** @param app undefined: of all apps */
  replicas(app?: string): Promise<ReplicaDocument[]>;
  events(filter: StreamFilter): AsyncIterable<EventDocument>;
  logs(app: string, filter: StreamFilter): AsyncIterable<LogDocument>;
  usage(filter: { sinceMs: number }): Promise<UsageDocument[]>;
  /** Survives deployments. */
  scale(app: string, change: ScaleChange): Promise<AppDocument>;
  /** Restores the active revision's settings. */
  resetScale(app: string): Promise<AppDocument>;
  /** Drains its replicas and refuses requests, until `resume`. */
  pause(app: string): Promise<AppDocument>;
  resume(app: string): Promise<AppDocument>;
  /** Cannot be undone. */
  deleteApp(app: string): Promise<void>;
  activate(
    app: string,
    rollout: { revision: string },
    signal?: AbortSignal,
  ): AsyncIterable<DeployEvent>;
  /** Drains one replica, then ends it. @param how another one may be started first */
  stopReplica(replica: string, how: { replace: boolean }): Promise<void>;
  keys(): Promise<KeyDocument[]>;
  createKey(request: NewKeyRequest): Promise<NewKeyDocument>;
  /** The old token works for the grace. */
  rotateKey(id: string, how: { graceMs: number }): Promise<NewKeyDocument>;
  /** @param how `hard` also cuts the requests that run under it */
  revokeKey(id: string, how: { hard: boolean }): Promise<KeyDocument>;
  secrets(): Promise<SecretDocument[]>;
}

interface StreamFilter {
  readonly follow: true;
  readonly signal: AbortSignal;
  readonly sinceMs?: number;
  /** The last so many; undefined: all. */
  readonly lines?: number;
}

/** The deployment that a chat talks to. */
export interface ChatApp {
  /** `local/tiny` */
  readonly app: string;
  readonly url: string;
}

/** A chat's backend that asks the control plane for the app's address and a key when it is needed. */
export interface DeploymentBackend extends ChatBackend {
  /** Requests them now. @throws ProductError, as the first question would */
  reach(): Promise<void>;
}

/** App details that a call needs. */
export type CallableApp = Pick<AppDocument, "organisation" | "app" | "url" | "auth">;

/** Result of one request of `testApp`. */
export interface TestStep {
  /** `GET /v1/models` */
  readonly request: string;
  /** Undefined: no answer came. */
  readonly status: number | undefined;
  readonly elapsedMs: number;
  /** A correct answer in a few words. */
  readonly expected: string;
  /** The answer in one line, or why there is none. */
  readonly sentence: string;
  readonly isOk: boolean;
}

export interface MachineCapacity {
  readonly processors: number;
  readonly memory: { readonly totalBytes: number; readonly freeBytes: number };
  /** Free where the server keeps its state. */
  readonly diskFreeBytes: number;
  readonly gpus: readonly { readonly name: string; readonly memoryBytes: number }[];
}

/** Scripts of this machine; no server is asked. */
export interface ScriptAccess {
  /** Paths, relative to the folder, of the scripts in it that have something to deploy. */
  find(folder: string): Promise<readonly string[]>;
  /** Names allowed after `::`. */
  targets(file: string): Promise<readonly string[]>;
  /** @param reference `deploy.py`, or `deploy.py::serve` */
  inspect(reference: string, options?: InspectionChoices): Promise<Inspection>;
  /** Returns the configuration of a new revision. @throws `CLOUD_CONFIG_INVALID` */
  config(inspection: Inspection, answers: ConfigAnswers): AppConfig;
  /** A script that serves a model with modelctl itself. */
  generate(model: string, fileName: string): { readonly text: string; readonly appName: string };
  /** @throws `COMMAND_USAGE` for a file that is there already, unless it is to be replaced */
  write(file: string, text: string, replace: boolean): Promise<void>;
  /** Reads the script again and packs its files: the document that `deploy` and `run` take. */
  prepare(answers: DeployAnswers, signal?: AbortSignal): Promise<Preparation>;
  /**
   * Checks if it would run; asks this machine and the target server, all at once.
   *
   * @param preparing result of `prepare`: checks that need no script start before it is there
   * @param tell called with all checks in order, at first and whenever one has ended
   * @throws what `prepare` throws
   */
  preflight(
    preparing: Promise<Preparation>,
    server: CloudServer,
    tell: (checks: readonly PreflightCheck[]) => void,
  ): Promise<readonly PreflightFinding[]>;
  /** @returns why an app's name is refused, as the end of a sentence; undefined when it may be used */
  nameFault(name: string): string | undefined;
  /** Returns a valid name similar to a text. */
  suggestName(text: string): string;
  /** Tells by its name if a variable's value is kept as a secret. */
  looksSecret(variable: string): boolean;
  /**
   * Returns the replicas for a number of concurrent requests, and how many requests would queue.
   */
  previewScale(scale: ScaleSettings, demand: number): { replicas: number; queued: number };
}

export interface InspectionChoices {
  /** Never runs the script's top level, not even in a sandbox. */
  readonly isStatic?: boolean;
  /** Called before the top level runs, with the reason. */
  readonly onRun?: (sentence: string) => void;
  readonly signal?: AbortSignal;
}

/** The user's answers about the configuration; undefined ones leave the script's or the default. */
export interface ConfigAnswers {
  readonly auth?: AuthMode | undefined;
  readonly exposedPort?: number | undefined;
  readonly healthPath?: string | undefined;
  /** "any" takes whatever there is. */
  readonly machineType?: string | undefined;
  readonly gpuCount?: number | undefined;
  /** Over those that the script reads; those that look secret are kept as secrets. */
  readonly environment?: Record<string, string> | undefined;
  readonly secretNames?: readonly string[] | undefined;
  readonly requirements?: readonly string[] | undefined;
  readonly imageMode?: "pip" | "ignore" | undefined;
  readonly scale?: Partial<ScaleSettings> | undefined;
  readonly limits?: Partial<TimeLimits> | undefined;
  readonly coldStart?: "wait" | "fail" | undefined;
}

export interface DeployAnswers {
  readonly reference: string;
  /** Undefined for `run`: one is drawn. */
  readonly appName: string | undefined;
  readonly organisation: string | undefined;
  readonly isEphemeral: boolean;
  readonly isStatic: boolean;
  readonly includes: readonly string[];
  readonly config: ConfigAnswers;
  readonly strategy?: DeployStrategy | undefined;
  readonly isForced?: boolean | undefined;
  readonly resetsScale?: boolean | undefined;
  readonly smoke?: string | undefined;
  readonly message?: string | undefined;
}

export interface Preparation {
  /** Absolute. */
  readonly script: string;
  /** Holds secrets in plain text: it is sent, and never shown or stored. */
  readonly request: DeploymentRequest;
  readonly warnings: readonly string[];
  /** Absolute paths of the files to upload. */
  readonly files: readonly string[];
  readonly sizeBytes: number;
}

/** A check; all of them run in parallel. */
export interface PreflightCheck {
  readonly subject: string;
  /** Undefined while it runs. */
  readonly findings: readonly PreflightFinding[] | undefined;
}

export interface PreflightFinding {
  /** `python`, `programs`, `hardware`, `port`, `disk`, `key`, `server`. */
  readonly subject: string;
  /** A fault makes the deployment fail. */
  readonly kind: "ok" | "warning" | "fault";
  readonly sentence: string;
  /** Advice for fixing it. */
  readonly hint?: string;
}
