// Errors of the model pool, for requests that get no model.
import { shownModel } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import { engineErrors } from "../errors.ts";
import type { LoadedModel } from "./loaded-model.ts";

/** Refuses to let more requests wait for a load, which is limited like waiting for a slot. */
export function tooManyWaiting({ users, model }: LoadedModel): ProductError {
  return new ProductError(engineErrors.queueFull, {
    message: `server busy, please try again. ${users} requests are already waiting for ${shownModel(model.name)} to load.`,
    hint: "Try again in a few seconds.",
    retryAfterSeconds: 5,
  });
}

export function crashedTooOften({ name }: ResolvedModel, remainingMs: number): ProductError {
  const seconds = Math.ceil(remainingMs / 1000);
  return new ProductError(engineErrors.backingOff, {
    message: `${shownModel(name)} crashed several times in a row; the next load is delayed by ${seconds} s.`,
    hint: "See the server's log for the reason.",
    retryAfterSeconds: seconds,
  });
}

/** @param loaded all loaded models, every one of them pinned */
export function noRoom(model: ResolvedModel, loaded: readonly LoadedModel[]): ProductError {
  const names = loaded.map((other) => shownModel(other.model.name)).join(", ");
  return new ProductError(engineErrors.noRoom, {
    message: `No room to load ${shownModel(model.name)}: ${names} ${loaded.length > 1 ? "are" : "is"} pinned (keep_alive -1).`,
    hint: "Unload a model with modelctl stop, or raise MODELCTL_MAX_LOADED_MODELS.",
    retryAfterSeconds: 30,
  });
}

export function shuttingDown(): ProductError {
  return new ProductError(engineErrors.shuttingDown, {
    message: "The server is shutting down and accepts no new requests.",
    hint: "Start it again with modelctl serve.",
  });
}
