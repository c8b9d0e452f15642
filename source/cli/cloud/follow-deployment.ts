// Follows a deployment to its end: shows its events, and throws when it failed.
import { ProductError } from "../../base/product-error.ts";
import { showControls } from "../../base/seen-text.ts";
import type { DeployEvent, DeployResult } from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import type { DeployProgress } from "./deploy-progress.ts";

/** @throws ProductError the deployment's own, after the last lines of its log were printed */
export async function followDeployment(
  events: AsyncIterable<DeployEvent>,
  progress: DeployProgress,
): Promise<DeployResult> {
  for await (const event of events) {
    const result = showDeployEvent(event, progress);
    if (result !== undefined) return result;
  }
  progress.finish();
  throw new ProductError(cloudErrors.serverUnreachable, {
    message: "The control plane ended the deployment's stream without a result.",
    hint: "See deployctl apps show and deployctl logs.",
  });
}

/** @returns the result when this event is the last */
export function showDeployEvent(
  event: DeployEvent,
  progress: DeployProgress,
): DeployResult | undefined {
  switch (event.kind) {
    case "phase":
      progress.step(event.phase, event.sentence);
      return undefined;
    case "log":
      progress.log(event.text);
      return undefined;
    case "warning":
      progress.warn(event.sentence);
      return undefined;
    case "done":
      progress.finish();
      return event.result;
    case "failed":
      progress.finish();
      throw failure(event);
  }
}

function failure(event: Extract<DeployEvent, { kind: "failed" }>): ProductError {
  for (const line of event.tail) process.stderr.write(`  | ${showControls(line)}\n`);
  const { code, exitCode, sentence } = event;
  return new ProductError({ code, exitCode, status: 422, description: "" }, { message: sentence });
}
