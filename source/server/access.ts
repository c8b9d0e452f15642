// Who asks, and what that allows: the owner, holders of keys, or anybody.
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { isInFolders } from "../store/model-catalog.ts";
import type { ServerDependencies } from "./dependencies.ts";

/** Header in which our own commands prove that they run as the server's user. */
export const ownerHeader = "x-modelctl-owner";

export interface Caller {
  /** Undefined where no key was sent, or none is known. */
  keyId: string | undefined;
  /** May change what is there, and see and end what others ask for. */
  mayManage: boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined until it has been let in. */
    caller: Caller | undefined;
  }
}

/** Whether the caller may see or end a request that somebody sent. */
export function canAccess(
  { caller }: Pick<FastifyRequest, "caller">,
  record: { keyId: string | undefined },
): boolean {
  if (caller === undefined) return false;
  return caller.mayManage || (caller.keyId !== undefined && caller.keyId === record.keyId);
}

/** The owner may name any file, others those below the model folders. */
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

// Digests are of equal length, which timingSafeEqual asks for.
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
