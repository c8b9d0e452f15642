// Which files a request may name.
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { isInFolders } from "../store/model-catalog.ts";
import type { ServerDependencies } from "./dependencies.ts";

/** Header in which our own commands prove that they run as the server's user. */
export const ownerHeader = "x-modelctl-owner";

/** The owner may name any file, others those below the model folders. */
export function fileAccess(
  request: FastifyRequest,
  { ownerToken, modelFolders }: ServerDependencies,
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
