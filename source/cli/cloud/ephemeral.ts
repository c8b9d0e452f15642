// Runs an app as long as this command: prints its log, and its address once it answers.
import { isUnreachable } from "../../application/cloud-host/cloud-server.ts";
import { explainMissingProgram } from "../../application/deploying/prepare-deployment.ts";
import { exitCodes, ProductError } from "../../base/product-error.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import type { DeploymentRequest, DeployResult, LogDocument } from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { printDocument } from "../output.ts";
import type { DeployProgress } from "./deploy-progress.ts";
import { callsText, certificateOf, keyCommand } from "./deploy-summary.ts";
import { showDeployEvent } from "./follow-deployment.ts";
import { tell } from "./print.ts";
import { logLineText } from "./print-logs.ts";
import type { Session } from "./session.ts";
import { isLocal } from "./target.ts";

/**
 * @param signal ends the app; its requests get a few seconds
 * @param onLive called once it answers
 * @returns the exit code
 * @throws ProductError if it cannot be started, or its server disappears
 */
export async function runEphemeral(
  session: Session,
  client: AdminClient,
  request: DeploymentRequest,
  progress: DeployProgress,
  signal: AbortSignal,
  onLive: (result: DeployResult) => void = () => {},
): Promise<number> {
  let isBegun = false;
  try {
    for await (const event of client.ephemeral(request, signal)) {
      isBegun = true;
      if (event.kind === "heartbeat") continue;
      if (event.kind === "ended") {
        tell(session.flags, event.exit.sentence);
        return event.exit.code === 0 ? exitCodes.ok : exitCodes.loadFailed;
      }
      if (event.kind === "line") {
        const { line } = event;
        if (!session.flags.quiet) progress.logElsewhere(line.text, () => printLine(session, line));
        continue;
      }
      const result = showDeployEvent(event, progress);
      if (result === undefined) continue;
      onLive(result);
      printAddress(session, result);
    }
  } catch (error) {
    if (!signal.aborted && !(isBegun && isUnreachable(error))) {
      throw isLocal(session) ? explainMissingProgram(error, request.config.executables) : error;
    }
  }
  if (signal.aborted) return exitCodes.interrupted;
  throw new ProductError(cloudErrors.serverUnreachable, {
    message: "The control plane disappeared, and the app is no longer reachable.",
    hint: "Run the command again to start another one, which cleans up the rest.",
  });
}

function printAddress(session: Session, result: DeployResult): void {
  const { json, quiet } = session.flags;
  if (json) printDocument(result);
  else if (quiet) process.stdout.write(`${result.url}\n`);
  else {
    const key = result.auth === "public" ? "" : `  ${keyCommand(result.app)}\n`;
    const calls = callsText(result, certificateOf(session, result.url));
    process.stdout.write(`${result.url} (${result.auth}) until Ctrl+C\n\n${key}${calls}\n`);
  }
}

/** With --json, standard output is for the document. */
function printLine({ flags }: Session, line: LogDocument): void {
  (flags.json ? process.stderr : process.stdout).write(logLineText(line));
}
