// Ids of requests, shared with clients, replicas and logs.
import { randomUUID } from "node:crypto";

export function drawRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}
