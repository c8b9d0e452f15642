// Probe of a server: a connection, then a request, and the state they show.
import { connect } from "node:net";
import { http } from "../../base/node-http.ts";
import type { ReplicaAddress } from "../replica-address.ts";

/**
 * Status of an answer; "silent" if the connection is open and no answer arrives; "broken" if it is
 * refused, reset, or not HTTP.
 */
export type HttpAnswer = number | "silent" | "broken";

export interface HealthCheck {
  path: string;
  /** Status of a server that is ready; undefined: any below 500. */
  status: number | undefined;
}

/** State of a server that has opened its port. */
export type Readiness = "ready" | "loading" | "silent";

const fallbackPath = "/v1/models";
const unavailable = 503;
const notFound = 404;
const wrongMethod = 405;
const firstFailure = 500;

/** @returns true when the port accepts connections */
export function canConnect({ hostname, port }: ReplicaAddress, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: hostname });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(limitMs, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

/** Sends one GET, without reading the body. */
export function ask(
  { hostname, port, prefix }: ReplicaAddress,
  path: string,
  limitMs: number,
): Promise<HttpAnswer> {
  return new Promise((resolve) => {
    const request = http.get({
      port,
      host: hostname,
      path: `${prefix}${path}`,
      agent: false,
      headers: { connection: "close", "user-agent": "deployctl-probe" },
    });
    const end = (answer: HttpAnswer) => {
      clearTimeout(timer);
      request.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end("silent"), limitMs);
    request.once("response", ({ statusCode = 0 }) => end(statusCode));
    // Includes errors from destroying the request, which come after the result.
    request.on("error", () => end("broken"));
  });
}

/**
 * Any other status than that of a ready server means loading. If none is given and the path does not
 * exist, the model list decides, as some servers open their port before they have loaded.
 */
export async function readinessOf(
  address: ReplicaAddress,
  check: HealthCheck,
  limitMs: number,
): Promise<Readiness> {
  const health = await ask(address, check.path, limitMs);
  if (typeof health === "string") return "silent";
  const hasNoSuchPath = health === notFound || health === wrongMethod;
  if (check.status !== undefined || !hasNoSuchPath) {
    return isExpected(health, check) ? "ready" : "loading";
  }
  return (await ask(address, fallbackPath, limitMs)) === unavailable ? "loading" : "ready";
}

/** Result of a health check of a ready replica. */
export type Health = "healthy" | "silent" | "failing";

/**
 * @param speaksHttp false for a server that never answered a request: a connection is enough then
 * @returns "silent" for no answer in time, which may be a busy server
 */
export async function healthOf(
  address: ReplicaAddress,
  check: HealthCheck,
  speaksHttp: boolean,
  limitMs: number,
): Promise<Health> {
  if (!speaksHttp) return (await canConnect(address, limitMs)) ? "healthy" : "failing";
  const answer = await ask(address, check.path, limitMs);
  if (answer === "silent") return "silent";
  return answer !== "broken" && isExpected(answer, check) ? "healthy" : "failing";
}

function isExpected(status: number, check: HealthCheck): boolean {
  return check.status === undefined ? status < firstFailure : status === check.status;
}
