// Address of a replica: its own port, or a path at a proxy in front of several replicas.

export interface ReplicaAddress {
  /** `http://127.0.0.1:23817` */
  origin: string;
  /** Value of the Host header. */
  host: string;
  hostname: string;
  port: number;
  /** Path below which the replica answers, such as `/tiny-1`; empty for one with its own port. */
  prefix: string;
}

/** Header in which a replica behind a proxy says that a reply is its own. */
export const replicaMark = "x-dctl-replica";
const deadMark = "dead";
const usualPort = 80;

/** @param endpoint such as `http://127.0.0.1:23817` or `http://10.0.0.5:8000/tiny-1` */
export function readEndpoint(endpoint: string): ReplicaAddress {
  const { origin, host, hostname, port, pathname } = new URL(endpoint);
  return {
    origin,
    host,
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? usualPort : Number(port),
    prefix: pathname.replace(/\/+$/, ""),
  };
}

/** Returns the address of a server on this machine. */
export function onLoopback(port: number): ReplicaAddress {
  return readEndpoint(`http://127.0.0.1:${port}`);
}

/**
 * Returns true for a reply that stands in for a replica that is gone: it says so, or the proxy in
 * front of it has answered by itself.
 *
 * @param mark value of `replicaMark` in the reply
 */
export function isReplyOfGone(
  { prefix }: ReplicaAddress,
  status: number,
  mark: string | undefined,
): boolean {
  if (mark === deadMark) return status === 503;
  return prefix !== "" && mark === undefined && (status >= 500 || status === 404);
}
