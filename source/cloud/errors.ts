// Every error about apps, revisions, replicas and the server that runs them.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const cloudErrors = {
  nameInvalid: {
    code: "CLOUD_NAME_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The name of an app or an organisation breaks the rules for names.",
  },
  requestInvalid: {
    code: "CLOUD_REQUEST_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A request to the control plane has a field of a wrong kind or out of range.",
  },
  bundleInvalid: {
    code: "CLOUD_BUNDLE_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The files of a deployment are too large, or have paths that leave their folder.",
  },
  scriptMissing: {
    code: "CLOUD_SCRIPT_MISSING",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The script that is to be deployed is not there, or cannot be read.",
  },
  scriptInvalid: {
    code: "CLOUD_SCRIPT_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "The script is no Python, its decorator has a wrong keyword, or its top level fails when it is loaded.",
  },
  scriptNotRun: {
    code: "CLOUD_SCRIPT_NOT_RUN",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "Configuration is only known by running the script, and the system cannot confine it: see --yes-run and --static.",
  },
  targetUnknown: {
    code: "CLOUD_TARGET_UNKNOWN",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "The script has no function of the name behind `::`, or several of which none is named.",
  },
  configInvalid: {
    code: "CLOUD_CONFIG_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "A keyword of the script's decorator, or a flag, is of a wrong kind, out of range, or cannot be known.",
  },
  pythonUnusable: {
    code: "CLOUD_PYTHON_UNUSABLE",
    status: 422,
    exitCode: exitCodes.loadFailed,
    description: "There is no python3, or it is older than 3.8.",
  },
  environmentFailed: {
    code: "CLOUD_ENVIRONMENT_FAILED",
    status: 422,
    exitCode: exitCodes.loadFailed,
    description: "The virtual environment with the script's requirements could not be built.",
  },
  executableMissing: {
    code: "CLOUD_EXECUTABLE_MISSING",
    status: 422,
    exitCode: exitCodes.loadFailed,
    description: "A program that the script calls is not on the PATH of its replicas.",
  },
  appUnknown: {
    code: "CLOUD_APP_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "There is no app of this name.",
  },
  revisionUnknown: {
    code: "CLOUD_REVISION_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The app has no revision of this name, or not the one that is asked for.",
  },
  replicaUnknown: {
    code: "CLOUD_REPLICA_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "There is no replica with this id.",
  },
  secretUnknown: {
    code: "CLOUD_SECRET_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "A secret or a variable of this name is not set.",
  },
  backupUnusable: {
    code: "CLOUD_BACKUP_UNUSABLE",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The backup that was to be restored is missing or damaged.",
  },
  conflict: {
    code: "CLOUD_CONFLICT",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "The state of the app or the server forbids what was asked.",
  },
  alreadyRunning: {
    code: "CLOUD_ALREADY_RUNNING",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "Another control plane works on this state folder.",
  },
  stateUnusable: {
    code: "CLOUD_STATE_UNUSABLE",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The state database cannot be opened or written.",
  },
  stateCorrupt: {
    code: "CLOUD_STATE_CORRUPT",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The state database is damaged; it was set aside and no new one was begun.",
  },
  stateMissing: {
    code: "CLOUD_STATE_MISSING",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "There is no state database to be examined: no control plane has run there yet.",
  },
  stateNewer: {
    code: "CLOUD_STATE_NEWER",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "The state database was written by a newer version of the program.",
  },
  startFailed: {
    code: "CLOUD_START_FAILED",
    status: 422,
    exitCode: exitCodes.loadFailed,
    description: "A replica of the revision ended before it was ready; the log tells why.",
  },
  startTimeout: {
    code: "CLOUD_START_TIMEOUT",
    status: 422,
    exitCode: exitCodes.timeout,
    description: "A replica of the revision was not ready within its start-up timeout.",
  },
  verificationFailed: {
    code: "CLOUD_VERIFICATION_FAILED",
    status: 422,
    exitCode: exitCodes.loadFailed,
    description: "The new revision started, but did not answer its smoke test as it should.",
  },
  deployAborted: {
    code: "CLOUD_DEPLOY_ABORTED",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "The deployment was given up for a newer one, or because its app was removed.",
  },
  noCapacity: {
    code: "CLOUD_NO_CAPACITY",
    status: 503,
    exitCode: exitCodes.noCapacity,
    description: "The machine has not what a replica asks for: a GPU, a port, memory.",
  },
  platformUnsupported: {
    code: "CLOUD_PLATFORM_UNSUPPORTED",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "Replicas cannot be run as processes of this system: it has no /proc.",
  },
  replicaStuck: {
    code: "CLOUD_REPLICA_STUCK",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "A process of a replica does not end, not even by SIGKILL.",
  },
  serverUnreachable: {
    code: "CLOUD_SERVER_UNREACHABLE",
    status: 503,
    exitCode: exitCodes.unreachable,
    description: "The control plane does not answer.",
  },
  keyRefused: {
    code: "CLOUD_KEY_REFUSED",
    status: 401,
    exitCode: exitCodes.refused,
    description: "The control plane wants an admin key, and did not get a valid one.",
  },
  keyTooWeak: {
    code: "CLOUD_KEY_TOO_WEAK",
    status: 403,
    exitCode: exitCodes.refused,
    description: "The control plane wants an admin key, and got one of another scope.",
  },
  keyUnknown: {
    code: "CLOUD_KEY_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "There is no key with this id.",
  },
  pepperUnusable: {
    code: "CLOUD_PEPPER_UNUSABLE",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The file with the pepper, which every check of a key needs, cannot be used.",
  },
  plainHttpRefused: {
    code: "CLOUD_PLAIN_HTTP_REFUSED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The gateway was to listen beyond this machine without encryption.",
  },
  certificateUnusable: {
    code: "CLOUD_CERTIFICATE_UNUSABLE",
    status: 500,
    exitCode: exitCodes.usage,
    description: "A TLS certificate or its key cannot be read, or they do not belong together.",
  },
  certificateMissing: {
    code: "CLOUD_CERTIFICATE_MISSING",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The server has no certificate authority of its own.",
  },
  addressUnusable: {
    code: "CLOUD_ADDRESS_UNUSABLE",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "The gateway cannot listen on its address.",
  },
} as const satisfies Record<string, ErrorDefinition>;
