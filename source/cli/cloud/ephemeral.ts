// Runs an app as long as this command: prints its log, and its address once it answers.
import { isUnreachable } from "../../application/control-plane-process.ts";
import { explainMissingProgram } from "../../application/prepare-deployment.ts";
import { exitCodes, ProductError } from "../../base/product-error.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import type {
  DeploymentRequest,
  DeployResult,
  EphemeralEvent,
  LogDocument,
} from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { printDocument } from "../output.ts";
import type { DeployProgress } from "./deploy-progress.ts";
import { callLines, certificateOf, keyCommand, summaryFacts } from "./deploy-summary.ts";
import { showDeployEvent } from "./follow-deployment.ts";
import { tell } from "./print.ts";
import { logLineText } from "./print-logs.ts";
import type { Session } from "./session.ts";
import { isLocal } from "./target.ts";

export type EphemeralEnd = { kind: "ended"; exitCode: number } | { kind: "interrupted" };

/**
 * @param signal ends the app; its requests get a few seconds
 * @throws ProductError if it cannot be started, or its server disappears
 */
export async function runEphemeral(
  session: Session,
  client: AdminClient,
  request: DeploymentRequest,
  progress: DeployProgress,
  signal: AbortSignal,
): Promise<EphemeralEnd> {
  let isBegun = false;
  try {
    for await (const event of client.ephemeral(request, signal)) {
      isBegun = true;
      const end = show(event);
      if (end !== undefined) return end;
    }
  } catch (error) {
    if (!signal.aborted && !(isBegun && isUnreachable(error))) {
      throw isLocal(session) ? explainMissingProgram(error, request.config.executables) : error;
    }
  }
  if (signal.aborted) return { kind: "interrupted" };
  throw new ProductError(cloudErrors.serverUnreachable, {
    message: "The control plane disappeared, and the app is no longer reachable.",
    hint: "Run the command again to start another one, which cleans up the rest.",
  });

  function show(event: EphemeralEvent): EphemeralEnd | undefined {
    switch (event.kind) {
      case "heartbeat":
        return undefined;
      case "line":
        if (!session.flags.quiet) {
          progress.logElsewhere(event.line.text, () => printLine(session, event.line));
        }
        return undefined;
      case "ended":
        tell(session.flags, event.exit.sentence);
        return {
          kind: "ended",
          exitCode: event.exit.code === 0 ? exitCodes.ok : exitCodes.loadFailed,
        };
      default: {
        const result = showDeployEvent(event, progress);
        if (result === undefined) return undefined;
        printAddress(session, result, request);
        return undefined;
      }
    }
  }
}

function printAddress(session: Session, result: DeployResult, request: DeploymentRequest): void {
  const { flags } = session;
  if (flags.json || flags.quiet) {
    if (flags.json) printDocument(result);
    else process.stdout.write(`${result.url}\n`);
    return;
  }
  const facts = summaryFacts(request.inspection, certificateOf(session, result.url));
  const key = result.auth === "public" ? [] : [keyCommand(result.app)];
  const lines = [...key, ...callLines(result.url, result.auth, facts)];
  process.stdout.write(
    `${result.url} (${result.auth}) until Ctrl+C\n\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n\n`,
  );
}

/** With --json, standard output is for the document. */
function printLine({ flags }: Session, line: LogDocument): void {
  (flags.json ? process.stderr : process.stdout).write(logLineText(line));
}
