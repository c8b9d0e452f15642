// Checks of a Ray cluster before replicas are run on it.
import { ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import type { RaySettings } from "../engine-settings.ts";
import type { RayClient } from "./ray-client.ts";
import type { RayNode, ServeState } from "./ray-documents.ts";

export interface ClusterFacts {
  /** Version of Ray, such as `2.58.0`. */
  version: string;
  nodes: RayNode[];
  serve: ServeState;
}

/** Earlier versions let anyone delete all applications (CVE-2026-27482). */
const leastVersion = [2, 54] as const;
const okay = 200;

/**
 * @throws ProductError `CLOUD_RAY_UNREACHABLE`, `CLOUD_RAY_OPEN`, `CLOUD_RAY_TOKEN_REFUSED`,
 *   `CLOUD_RAY_UNSUPPORTED`, `CLOUD_NO_CAPACITY`
 */
export async function checkCluster(
  client: RayClient,
  { allowsOpenCluster, proxyPort }: RaySettings,
): Promise<ClusterFacts> {
  const isOpen = (await client.statusForStrangers()) === okay;
  const { version } = await client.version();
  if (isOpen && !allowsOpenCluster) {
    throw new ProductError(cloudErrors.rayOpen, {
      message: `The Ray cluster at ${client.address} lets anyone run programs: it needs no token`,
      hint: "Start Ray with RAY_AUTH_MODE=token, or use --allow-open-cluster.",
    });
  }
  if (!isSupported(version)) {
    throw new ProductError(cloudErrors.rayUnsupported, {
      message: `Ray ${version} at ${client.address} is too old`,
      hint: `Install Ray ${leastVersion.join(".")} or newer on all nodes.`,
    });
  }
  const serve = await client.serve();
  checkProxyPort(client, serve, proxyPort);
  const nodes = await client.nodes();
  if (nodes.length > 0) return { version, nodes, serve };
  throw new ProductError(cloudErrors.noCapacity, {
    message: `The Ray cluster at ${client.address} has no nodes`,
    hint: "Start Ray on at least one node.",
  });
}

/** Returns how the head's proxy is reached, and where Serve opens it. */
export function proxyOf({ address, proxyPort }: Pick<RaySettings, "address" | "proxyPort">): {
  host: string;
  port: number;
  /** The proxy checks no keys, so it opens no more addresses than it needs. */
  listenHost: string;
} {
  const { hostname } = new URL(address);
  const host = hostname === "localhost" ? "127.0.0.1" : hostname;
  const isAddress = /^[\d.]+$|^\[/.test(host);
  const listenHost = isAddress ? host.replace(/^\[|\]$/g, "") : "0.0.0.0";
  return { host, port: proxyPort, listenHost };
}

/** Serve keeps the port with which it was started. */
function checkProxyPort(client: RayClient, { http_options }: ServeState, wanted: number): void {
  const port = http_options?.port;
  if (port === undefined || port === wanted) return;
  throw new ProductError(cloudErrors.rayUnsupported, {
    message: `Serve's proxy of the Ray cluster at ${client.address} has port ${port}, not ${wanted}`,
    hint: `Use --proxy-port ${port}.`,
  });
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = leastVersion;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
