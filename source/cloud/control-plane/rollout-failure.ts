// Failures of a rollout, with the last output of the replica.
import { ProductError } from "../../base/product-error.ts";
import type { ReplicaExit } from "../engines/engine.ts";
import { cloudErrors } from "../errors.ts";

export class RolloutFailure extends Error {
  readonly error: ProductError;
  readonly exit: ReplicaExit | undefined;

  constructor(error: ProductError, exit: ReplicaExit | undefined) {
    super(error.message, { cause: error });
    this.error = error;
    this.exit = exit;
  }
}

export function noCapacity(reason: string, exit?: ReplicaExit): RolloutFailure {
  const error = new ProductError(cloudErrors.noCapacity, {
    message: `Cannot place a replica: ${reason.replace(/[.]$/, "")}.`,
    hint: "Run `deployctl doctor` to see this machine's resources, or use --machine-type any.",
  });
  return new RolloutFailure(error, exit);
}

/** @param hint points to more details */
export function startFailure(exit: ReplicaExit, hint: string | undefined): RolloutFailure {
  const definition =
    exit.reason === "startup_timeout" ? cloudErrors.startTimeout : cloudErrors.startFailed;
  const message = `The new revision did not start: ${exit.sentence}`;
  const error = new ProductError(definition, { message, ...(hint !== undefined && { hint }) });
  return new RolloutFailure(error, exit);
}

/** Exit of a replica that was ready and ended before the switch. */
export const vanished: ReplicaExit = {
  code: undefined,
  signal: undefined,
  reason: "lost",
  sentence: "Its replica was stopped before it could take over.",
  tail: [],
};
