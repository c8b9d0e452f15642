// Callers and their permissions: the owner, holders of keys, or anybody.
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { isInFolders } from "../store/model-catalog.ts";
import type { ServerDependencies } from "./dependencies.ts";

/** Header by which our own commands prove that they run as the server's user. */
export const ownerHeader = "x-modelctl-owner";

export interface Caller {
  /** Undefined when no key or an unknown key was sent. */
  keyId: string | undefined;
  /** May change models and settings, and see and cancel requests of others. */
  mayManage: boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined until the request is authorised. */
    caller: Caller | undefined;
  }
}

/** Tells if the caller may see or cancel a request. */
export function canAccess(
  { caller }: Pick<FastifyRequest, "caller">,
  record: { keyId?: string },
): boolean {
  if (caller === undefined) return false;
  return caller.mayManage || (caller.keyId !== undefined && caller.keyId === record.keyId);
}

/** Lets the owner name any file, others only files below the model folders. */
export function fileAccess(
  request: FastifyRequest,
  { ownerToken, modelFolders }: Pick<ServerDependencies, "ownerToken" | "modelFolders">,
): (file: string) => boolean {
  if (isOwner(request, ownerToken)) return () => true;
  return (file) => isInFolders(file, modelFolders);
}

export function isOwner(request: FastifyRequest, ownerToken: string): boolean {
  const given = request.headers[ownerHeader];
  return typeof given === "string" && timingSafeEqual(digest(given), digest(ownerToken));
}

// timingSafeEqual needs buffers of equal length.
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
