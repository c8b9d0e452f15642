// Follows a deployment to its end, and shows its events.
import { isUnreachable } from "../../application/cloud-host/cloud-server.ts";
import { showControls } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import type { DeployEvent, DeployResult } from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import type { DeployProgress } from "./deploy-progress.ts";

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Returns the result. Ctrl+C or SIGTERM leaves the deployment running.
 *
 * @throws ProductError of a failed deployment, after printing the last lines of its log; the abort's
 *   reason after such a signal
 */
export async function followDeployment(
  begin: (signal: AbortSignal) => AsyncIterable<DeployEvent>,
  progress: DeployProgress,
): Promise<DeployResult> {
  const left = new AbortController();
  const leave = () => left.abort();
  for (const signal of signals) process.once(signal, leave);
  let isBegun = false;
  try {
    for await (const event of begin(left.signal)) {
      isBegun = true;
      const result = showDeployEvent(event, progress);
      if (result !== undefined) return result;
    }
  } catch (error) {
    if (!left.signal.aborted && !(isBegun && isUnreachable(error))) throw error;
  } finally {
    progress.finish();
    for (const signal of signals) process.off(signal, leave);
  }
  if (left.signal.aborted) {
    process.stderr.write("The deployment continues; run deployctl apps show to check it.\n");
    throw left.signal.reason;
  }
  throw new ProductError(cloudErrors.serverUnreachable, {
    message: "The control plane disappeared during the deployment.",
    hint: "Start it again with deployctl up to continue, then check deployctl apps show.",
  });
}

/** Shows an event. @returns the result after the last event */
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
      if (event.code === "start_repeated") progress.repeat();
      return undefined;
    case "done":
      progress.finish();
      return event.result;
    case "failed":
      progress.finish();
      progress.tail(event.tail);
      throw failure(event);
  }
}

function failure(event: Extract<DeployEvent, { kind: "failed" }>): ProductError {
  const { code, exitCode, sentence } = event;
  // May contain a script's exception.
  const message = showControls(sentence);
  return new ProductError({ code, exitCode, status: 422, description: "" }, { message });
}
