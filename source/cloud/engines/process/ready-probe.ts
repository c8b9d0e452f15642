// Asks a server whether it is there: a connection, then a request, and what the answers mean.
import http from "node:http";
import { connect } from "node:net";

/** What one request for a path came to. */
export type HttpAnswer =
  | { kind: "status"; status: number }
  /** The connection stands and nothing comes. */
  | { kind: "silence" }
  /** Refused, reset, or no HTTP. */
  | { kind: "broken" };

/** What a server that has opened its port says of itself. */
export type Readiness = "ready" | "loading" | "silent";

const fallbackPath = "/v1/models";
const unavailable = 503;
const notFound = 404;
const wrongMethod = 405;
const firstFailure = 500;

/** @returns whether somebody takes connections there */
export function canConnect(port: number, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(limitMs, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

/** One GET; the body is not read. */
export function ask(port: number, path: string, limitMs: number): Promise<HttpAnswer> {
  return new Promise((resolve) => {
    const request = http.get({
      port,
      host: "127.0.0.1",
      path,
      agent: false,
      headers: { connection: "close", "user-agent": "deployctl-probe" },
    });
    const end = (answer: HttpAnswer) => {
      clearTimeout(timer);
      request.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end({ kind: "silence" }), limitMs);
    request.once("response", ({ statusCode = 0 }) => end({ kind: "status", status: statusCode }));
    // Also what destroying it causes: the answer is given by then.
    request.on("error", () => end({ kind: "broken" }));
  });
}

/**
 * Any status below 500 is ready; 503 is a server that still loads. Where there is no health path,
 * the list of models tells: some servers open their port before they have loaded.
 */
export async function readinessOf(
  port: number,
  healthPath: string,
  limitMs: number,
): Promise<Readiness> {
  const health = await ask(port, healthPath, limitMs);
  if (health.kind !== "status") return "silent";
  const hasNoSuchPath = health.status === notFound || health.status === wrongMethod;
  if (!hasNoSuchPath) return health.status < firstFailure ? "ready" : "loading";
  const models = await ask(port, fallbackPath, limitMs);
  return models.kind === "status" && models.status === unavailable ? "loading" : "ready";
}

/** What a health check of a replica that was ready found. */
export type Health = "well" | "silent" | "failing";

/**
 * @param speaksHttp false for a server that never answered a request: then a connection is enough
 * @returns "silent" when it does not answer in time, as a server that computes may
 */
export async function healthOf(
  port: number,
  healthPath: string,
  speaksHttp: boolean,
  limitMs: number,
): Promise<Health> {
  if (!speaksHttp) return (await canConnect(port, limitMs)) ? "well" : "failing";
  const answer = await ask(port, healthPath, limitMs);
  if (answer.kind === "silence") return "silent";
  return answer.kind === "status" && answer.status < firstFailure ? "well" : "failing";
}
