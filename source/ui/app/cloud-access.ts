// Interface of the deploy and console screens to deployctl, which the command line implements.
import type { Clock } from "../../base/clock.ts";
import type { ChatBackend } from "../../chat/chat-backend.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import type {
  AppDocument,
  DeployEvent,
  DeploymentRequest,
  EphemeralEvent,
  ServerStatus,
} from "../../cloud/admin/documents.ts";
import type { AppConfig, AuthMode, ScaleSettings, TimeLimits } from "../../cloud/app-config.ts";
import type { Inspection } from "../../cloud/inspection/inspection.ts";
import type { FrameServices } from "../frame/screen.ts";

/** Services of the screens for deployments. */
export interface CloudScreenServices {
  readonly cloud: CloudAccess;
  readonly clock: Clock;
  readonly frame: FrameServices;
  /** Opens the chat screen on a deployment. @param token undefined: a suitable key is found or created */
  readonly chatWith: (server: CloudServer, app: AppDocument, token?: string) => Promise<void>;
}

/** Calls throw ProductErrors, whose messages are shown to the user. */
export interface CloudAccess {
  /** Servers to deploy to: one per profile, the current one first. */
  targets(): Promise<readonly CloudTarget[]>;
  /** @param profile undefined: the current one. @throws `CONFIGURATION_PROFILE_UNKNOWN` */
  server(profile?: string): CloudServer;
  readonly scripts: ScriptAccess;
  /** Models of this machine that a script can serve. */
  localModels(): Promise<readonly LocalModel[]>;
  readonly drafts: DraftAccess;
}

/** Saved answers of the deploy screen: each terminal writes one draft. */
export interface DraftAccess {
  /**
   * Returns every draft of other terminals, newest first; deletes those that are too old.
   *
   * @returns `problems` sentences about drafts that were moved aside, or could not be deleted
   */
  others(): Promise<{ drafts: readonly OtherDraft[]; problems: readonly string[] }>;
  /**
   * Continues a draft in this terminal; the previous draft stays as it is. Copies a draft that another
   * terminal uses.
   *
   * @returns false if it no longer exists
   */
  take(draft: OtherDraft): Promise<boolean>;
  /** Writes the draft of this terminal atomically. */
  write(draft: Draft): Promise<void>;
  /** Deletes the draft of this terminal. */
  remove(): Promise<void>;
}

export interface Draft {
  readonly step: string;
  /** Answers by field name, without secrets. */
  readonly given: Readonly<Record<string, string>>;
}

/** A draft that this terminal does not write. */
export interface OtherDraft extends Draft {
  readonly file: string;
  /** When it was saved or resumed; milliseconds since 1970. */
  readonly savedAtMs: number;
  /** True while another terminal uses it. */
  readonly isInUse: boolean;
}

/** A place to deploy to. */
export interface CloudTarget {
  /** The profile's name. */
  readonly profile: string;
  readonly isCurrent: boolean;
  /** True for this machine's own server, which the screens can start. */
  readonly isLocal: boolean;
  /** `this machine`, or the server's address. */
  readonly place: string;
  /** The profile's organisation; undefined: the server's own. */
  readonly organisation: string | undefined;
  /** The profile's environment; undefined: the one in the app's name, else `main`. */
  readonly environment?: string | undefined;
  /** The profile's machine type, which replaces the script's, such as "any". */
  readonly machineType?: string | undefined;
}

export interface LocalModel {
  /** Its name in a script. */
  readonly name: string;
  readonly sizeBytes: number;
}

/** Access to one control plane. */
export interface CloudServer {
  readonly target: CloudTarget;
  /** Its admin API. @throws ProductError without a key in the profile */
  readonly client: CloudClient;
  /** Starts this machine's server unless one runs; resolves when it is ready. */
  start(): Promise<ServerStatus>;
  /** Returns the resources for replicas; undefined if the server's machine cannot be inspected. */
  capacity(): Promise<MachineCapacity | undefined>;
  /** Deploys an app. An abort stops following the deployment, which continues. */
  deploy(request: DeploymentRequest, signal?: AbortSignal): AsyncIterable<DeployEvent>;
  /** Runs an app until the signal aborts. */
  run(request: DeploymentRequest, signal: AbortSignal): AsyncIterable<EphemeralEvent>;
  /** Opens a chat through an app's OpenAI API. @param token undefined: a suitable key is found or created */
  openChat(app: ChatApp, token?: string): DeploymentBackend;
  /**
   * Requests the models, then a short answer. A server that cannot chat may answer anything.
   *
   * @param token undefined: a suitable key is found or created
   */
  testApp(app: CallableApp, token?: string, signal?: AbortSignal): Promise<readonly TestStep[]>;
  /** Returns example calls to paste: curl, and OpenAI's clients for an app that can chat. */
  callLines(app: CallableApp): readonly string[];
}

/** The part of the admin API that the screens use. */
export type CloudClient = Pick<
  AdminClient,
  | "status"
  | "apps"
  | "app"
  | "revisions"
  | "replicas"
  | "events"
  | "logs"
  | "usage"
  | "scale"
  | "resetScale"
  | "pause"
  | "resume"
  | "deleteApp"
  | "activate"
  | "abortTraffic"
  | "stopReplica"
  | "keys"
  | "createKey"
  | "rotateKey"
  | "revokeKey"
  | "secrets"
  | "environments"
  | "variables"
>;

/** The deployment that a chat talks to. */
export interface ChatApp {
  /** `local/tiny` */
  readonly app: string;
  readonly url: string;
}

/** Backend of a chat, which gets the app's address and a key from the control plane when needed. */
export interface DeploymentBackend extends ChatBackend {
  /** Gets them now. @throws ProductError, as the first question would */
  reach(): Promise<void>;
}

/** App details that a call needs. */
export type CallableApp = Pick<AppDocument, "organisation" | "app" | "url" | "auth" | "api">;

/** Result of one request of `testApp`. */
export interface TestStep {
  /** `GET /v1/models` */
  readonly request: string;
  /** Undefined without an answer. */
  readonly status: number | undefined;
  readonly elapsedMs: number;
  /** Describes a correct answer. */
  readonly expected: string;
  /** The answer in one line, or why there is none. */
  readonly sentence: string;
  readonly isOk: boolean;
}

export interface MachineCapacity {
  readonly processors: number;
  readonly memory: { readonly totalBytes: number; readonly freeBytes: number };
  /** Free space on the disk of the server's state. */
  readonly diskFreeBytes: number;
  readonly gpus: readonly { readonly name: string; readonly memoryBytes: number }[];
}

/** Scripts of this machine; needs no server. */
export interface ScriptAccess {
  /** Returns the deployable scripts in a folder, relative to it. */
  find(folder: string): Promise<readonly string[]>;
  /** Returns the names allowed after `::`. */
  targets(file: string): Promise<readonly string[]>;
  /** @param reference `deploy.py`, or `deploy.py::serve` */
  inspect(reference: string, options?: InspectionChoices): Promise<Inspection>;
  /** Returns the configuration of a new revision. @throws `CLOUD_CONFIG_INVALID` */
  config(inspection: Inspection, answers: ConfigAnswers): AppConfig;
  /** Returns a script that serves a model with modelctl. */
  generate(model: string, fileName: string): { readonly text: string; readonly appName: string };
  /** @throws `COMMAND_USAGE` for an existing file unless `replace` is true */
  write(file: string, text: string, replace: boolean): Promise<void>;
  /**
   * Reads the script again and packs its files into a document for `deploy` and `run`.
   *
   * @param server asked for the variables that the app keeps; none while this machine's is not running
   */
  prepare(answers: DeployAnswers, server: CloudServer): Promise<Preparation>;
  /**
   * Checks if the app would run on this machine and on the target server, all checks in parallel.
   *
   * @param preparing result of `prepare`; checks that need no script do not wait for it
   * @param tell called with all checks in order, first at the start and then after each check
   * @throws what `prepare` throws
   */
  preflight(
    preparing: Promise<Preparation>,
    server: CloudServer,
    tell: (checks: readonly PreflightCheck[]) => void,
  ): Promise<readonly PreflightFinding[]>;
  /** @returns why an app's name is invalid there, as the end of a sentence; undefined for a valid one */
  nameFault(name: string, environment: string): string | undefined;
  /** Returns an app's name in an environment: `chat--staging`. One of another environment stays as it is. */
  nameIn(name: string, environment: string): string;
  /** Returns the environment in an app's name; `main` without one. */
  environmentOf(name: string): string;
  /** Returns a valid name similar to a text. */
  suggestName(text: string): string;
  /** True if a variable's name suggests that its value is a secret. */
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

/** The user's answers about the configuration; absent ones keep the script's value or the default. */
export interface ConfigAnswers {
  readonly auth?: AuthMode;
  /** "any" accepts every machine. */
  readonly machineType?: string | undefined;
  readonly gpuCount?: number;
  /** Overrides variables that the script reads; values that look secret are stored as secrets. */
  readonly environment?: Record<string, string>;
  readonly secretNames?: readonly string[];
  readonly imageMode?: "pip" | "ignore";
  readonly scale?: Partial<ScaleSettings>;
  readonly limits?: Partial<TimeLimits>;
}

export interface DeployAnswers {
  readonly reference: string;
  /** Undefined for `run`: a name is generated. */
  readonly appName: string | undefined;
  /** Environment of a name that is not given; `appName` contains its own. */
  readonly environmentName: string;
  readonly organisation: string | undefined;
  readonly isEphemeral: boolean;
  readonly isStatic: boolean;
  readonly config: ConfigAnswers;
}

export interface Preparation {
  /** Absolute. */
  readonly script: string;
  /** Contains secrets in plain text: send it, never show or store it. */
  readonly request: DeploymentRequest;
  /** Set if the app would keep secrets that its new script does not read. */
  readonly secretsQuestion?: string | undefined;
  readonly warnings: readonly string[];
  /** Absolute paths of the files to upload. */
  readonly files: readonly string[];
  readonly sizeBytes: number;
}

/** A check of the preflight. */
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
