// Why a revision does not take over, as an error with what its replica said last.
import { ProductError } from "../../base/product-error.ts";
import type { ReplicaExit } from "../engines/engine.ts";
import { cloudErrors } from "../errors.ts";

/** Why a revision did not come up, with what its replica said last. */
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
    message: `No replica can be placed: ${reason.replace(/[.]$/, "")}.`,
    hint: "deployctl doctor shows what this machine has; --machine-type any takes what there is.",
  });
  return new RolloutFailure(error, exit);
}

/** @param hint where there is more to know */
export function startFailure(exit: ReplicaExit, hint: string | undefined): RolloutFailure {
  const definition =
    exit.reason === "startup_timeout" ? cloudErrors.startTimeout : cloudErrors.startFailed;
  const message = `The new revision did not start: ${exit.sentence}`;
  const error = new ProductError(definition, { message, ...(hint !== undefined && { hint }) });
  return new RolloutFailure(error, exit);
}

/** It was ready, and ended before the switch. */
export const vanished: ReplicaExit = {
  code: undefined,
  signal: undefined,
  reason: "lost",
  sentence: "Its replica was ended before it could take over.",
  tail: [],
};
