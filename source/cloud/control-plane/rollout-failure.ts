// Failures of a rollout, with the last output of the replica.
import {
  type ErrorDefinition,
  ProductError,
  type ProductErrorDetails,
} from "../../base/product-error.ts";
import type { ReplicaExit } from "../engines/engine.ts";
import { cloudErrors } from "../errors.ts";

export class RolloutFailure extends ProductError {
  readonly exit: ReplicaExit | undefined;

  constructor(
    definition: ErrorDefinition,
    details: ProductErrorDetails,
    exit: ReplicaExit | undefined,
  ) {
    super(definition, details);
    this.exit = exit;
  }
}

export function noCapacity(reason: string, exit?: ReplicaExit): RolloutFailure {
  const details = {
    message: `Cannot place a replica: ${reason.replace(/[.]$/, "")}.`,
    hint: "Run `deployctl doctor` to see this machine's resources, or use --machine-type any.",
  };
  return new RolloutFailure(cloudErrors.noCapacity, details, exit);
}

/** @param hint points to more details */
export function startFailure(exit: ReplicaExit, hint: string | undefined): RolloutFailure {
  const definition =
    exit.reason === "startup_timeout" ? cloudErrors.startTimeout : cloudErrors.startFailed;
  const message = `The new revision did not start: ${exit.sentence}`;
  return new RolloutFailure(definition, { message, ...(hint !== undefined && { hint }) }, exit);
}
