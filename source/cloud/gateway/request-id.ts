// Names for requests, which clients, replicas and logs are told.
import { randomUUID } from "node:crypto";

export function drawRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}
