// Why no model is loaded for a request, or none of those that are loaded serves it.
import { shownModel } from "../../base/model-tag.ts";
import { ProductError } from "../../base/product-error.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import { engineErrors } from "../errors.ts";
import type { LoadedModel } from "./loaded-model.ts";

/** Waiting for a load is bounded like waiting for a slot. */
export function tooManyWait({ users, model }: LoadedModel): ProductError {
  return new ProductError(engineErrors.queueFull, {
    message: `server busy, please try again. ${users} requests wait for ${shownModel(model.name)} to be loaded already.`,
    hint: "Try again in a few seconds.",
    retryAfterSeconds: 5,
  });
}

export function crashedTooOften({ name }: ResolvedModel, remainingMs: number): ProductError {
  const seconds = Math.ceil(remainingMs / 1000);
  return new ProductError(engineErrors.backingOff, {
    message: `${shownModel(name)} crashed several times in a row; it is loaded again in ${seconds} s at the earliest.`,
    hint: "The server's log says why it crashed.",
    retryAfterSeconds: seconds,
  });
}

/** @param loaded all of them to stay for good */
export function noRoom(model: ResolvedModel, loaded: readonly LoadedModel[]): ProductError {
  const names = loaded.map((other) => shownModel(other.model.name)).join(", ");
  return new ProductError(engineErrors.noRoom, {
    message: `There is no room to load ${shownModel(model.name)}: ${names} ${loaded.length > 1 ? "are" : "is"} to stay loaded for good.`,
    hint: "Unload one with modelctl stop, or raise MODELCTL_MAX_LOADED_MODELS.",
    retryAfterSeconds: 30,
  });
}

export function shuttingDown(): ProductError {
  return new ProductError(engineErrors.shuttingDown, {
    message: "The server is stopping and takes no new requests.",
    hint: "Start it again with modelctl serve.",
  });
}
