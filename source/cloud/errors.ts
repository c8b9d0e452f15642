// Error table of apps, revisions, replicas and the control plane.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const cloudErrors = {
  nameInvalid: {
    code: "CLOUD_NAME_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The name of an app or an organisation is invalid.",
  },
  requestInvalid: {
    code: "CLOUD_REQUEST_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "A field of a request to the control plane has the wrong type or is out of range.",
  },
  bundleInvalid: {
    code: "CLOUD_BUNDLE_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The files of a deployment are too large, or a path leads outside their folder.",
  },
  scriptMissing: {
    code: "CLOUD_SCRIPT_MISSING",
    status: 400,
    exitCode: exitCodes.usage,
    description: "The script to deploy does not exist or cannot be read.",
  },
  scriptInvalid: {
    code: "CLOUD_SCRIPT_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "The script is not valid Python, its decorator has an unknown keyword, or loading it raises an error.",
  },
  scriptNotRun: {
    code: "CLOUD_SCRIPT_NOT_RUN",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "The configuration can only be read by running the script, and this system has no sandbox. Use --yes-run or --static.",
  },
  targetUnknown: {
    code: "CLOUD_TARGET_UNKNOWN",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "The script has no function with the name after `::`, or has several and none is named.",
  },
  configInvalid: {
    code: "CLOUD_CONFIG_INVALID",
    status: 400,
    exitCode: exitCodes.usage,
    description:
      "A decorator keyword or a flag has the wrong type, is out of range, or cannot be determined.",
  },
  pythonUnusable: {
    code: "CLOUD_PYTHON_UNUSABLE",
    status: 422,
    exitCode: exitCodes.loadFailed,
    description: "python3 is missing or older than 3.8.",
  },
  environmentFailed: {
    code: "CLOUD_ENVIRONMENT_FAILED",
    status: 422,
    exitCode: exitCodes.loadFailed,
    description: "Building the virtual environment with the script's requirements failed.",
  },
  executableMissing: {
    code: "CLOUD_EXECUTABLE_MISSING",
    status: 422,
    exitCode: exitCodes.loadFailed,
    description: "A program that the script runs is not on the PATH of its replicas.",
  },
  appUnknown: {
    code: "CLOUD_APP_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No app has this name.",
  },
  revisionUnknown: {
    code: "CLOUD_REVISION_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The app has no such revision.",
  },
  replicaUnknown: {
    code: "CLOUD_REPLICA_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No replica has this id.",
  },
  secretUnknown: {
    code: "CLOUD_SECRET_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No secret or variable with this name is set.",
  },
  backupUnusable: {
    code: "CLOUD_BACKUP_UNUSABLE",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The backup to restore is missing or damaged.",
  },
  secretsUnread: {
    code: "CLOUD_SECRETS_UNREAD",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "The app would keep secrets that its new script does not read.",
  },
  conflict: {
    code: "CLOUD_CONFLICT",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "The request conflicts with the current state of the app or the server.",
  },
  alreadyRunning: {
    code: "CLOUD_ALREADY_RUNNING",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "Another control plane is using this state folder.",
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
    description: "The state database is damaged. It was moved aside, and no new one was created.",
  },
  stateMissing: {
    code: "CLOUD_STATE_MISSING",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The state database does not exist: no control plane has run there yet.",
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
    description: "A replica of the revision exited before it was ready; see its log.",
  },
  startTimeout: {
    code: "CLOUD_START_TIMEOUT",
    status: 422,
    exitCode: exitCodes.timeout,
    description: "A replica of the revision was not ready within the start-up timeout.",
  },
  verificationFailed: {
    code: "CLOUD_VERIFICATION_FAILED",
    status: 422,
    exitCode: exitCodes.loadFailed,
    description: "The new revision started but failed its smoke test.",
  },
  deployAborted: {
    code: "CLOUD_DEPLOY_ABORTED",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "The deployment was cancelled by a newer one, or because its app was deleted.",
  },
  noCapacity: {
    code: "CLOUD_NO_CAPACITY",
    status: 503,
    exitCode: exitCodes.noCapacity,
    description:
      "The machine or cluster lacks a resource that the replica needs: a GPU, a port or memory.",
  },
  engineInvalid: {
    code: "CLOUD_ENGINE_INVALID",
    status: 500,
    exitCode: exitCodes.usage,
    description: "The settings of the server's engine, or the file with its token, cannot be used.",
  },
  rayUnreachable: {
    code: "CLOUD_RAY_UNREACHABLE",
    status: 503,
    exitCode: exitCodes.unreachable,
    description: "The Ray cluster does not answer, or with an error.",
  },
  rayTokenRefused: {
    code: "CLOUD_RAY_TOKEN_REFUSED",
    status: 502,
    exitCode: exitCodes.refused,
    description: "The Ray cluster refused the token.",
  },
  rayOpen: {
    code: "CLOUD_RAY_OPEN",
    status: 502,
    exitCode: exitCodes.refused,
    description: "The Ray cluster needs no token, so that anyone could run programs on it.",
  },
  rayUnsupported: {
    code: "CLOUD_RAY_UNSUPPORTED",
    status: 502,
    exitCode: exitCodes.conflict,
    description:
      "The address is not that of a Ray dashboard, Ray is too old, or it lacks Serve or has it elsewhere.",
  },
  rayRefused: {
    code: "CLOUD_RAY_REFUSED",
    status: 502,
    exitCode: exitCodes.loadFailed,
    description: "The Ray cluster refused an application or a package.",
  },
  platformUnsupported: {
    code: "CLOUD_PLATFORM_UNSUPPORTED",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "This system has no /proc, which running replicas as processes requires.",
  },
  replicaStuck: {
    code: "CLOUD_REPLICA_STUCK",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "A replica's process did not exit after SIGKILL.",
  },
  serverUnreachable: {
    code: "CLOUD_SERVER_UNREACHABLE",
    status: 503,
    exitCode: exitCodes.unreachable,
    description: "The control plane does not respond.",
  },
  keyRefused: {
    code: "CLOUD_KEY_REFUSED",
    status: 401,
    exitCode: exitCodes.refused,
    description: "The control plane requires a valid admin key.",
  },
  keyTooWeak: {
    code: "CLOUD_KEY_TOO_WEAK",
    status: 403,
    exitCode: exitCodes.refused,
    description: "The key's scope does not allow this operation.",
  },
  keyUnknown: {
    code: "CLOUD_KEY_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No key has this id.",
  },
  pepperUnusable: {
    code: "CLOUD_PEPPER_UNUSABLE",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The pepper file, which is needed to verify API keys, cannot be used.",
  },
  plainHttpRefused: {
    code: "CLOUD_PLAIN_HTTP_REFUSED",
    status: 400,
    exitCode: exitCodes.usage,
    description: "Refusing to listen on a public address without TLS.",
  },
  certificateMissing: {
    code: "CLOUD_CERTIFICATE_MISSING",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The server has no certificate authority of its own to trust.",
  },
  addressUnusable: {
    code: "CLOUD_ADDRESS_UNUSABLE",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "The gateway cannot listen on its address.",
  },
  serviceInstalled: {
    code: "CLOUD_SERVICE_INSTALLED",
    status: 409,
    exitCode: exitCodes.conflict,
    description: "The service that keeps the server running is already installed.",
  },
  serviceMissing: {
    code: "CLOUD_SERVICE_MISSING",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "The service to remove is not installed.",
  },
  serviceUnsupported: {
    code: "CLOUD_SERVICE_UNSUPPORTED",
    status: 500,
    exitCode: exitCodes.conflict,
    description: "This system has neither systemd nor launchd.",
  },
  serviceFailed: {
    code: "CLOUD_SERVICE_FAILED",
    status: 500,
    exitCode: exitCodes.loadFailed,
    description: "The service's file cannot be written, or the service does not start or stop.",
  },
} as const satisfies Record<string, ErrorDefinition>;
