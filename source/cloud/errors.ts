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
} as const satisfies Record<string, ErrorDefinition>;
