// The Ray engine on the tests' cluster.
import type { Engine } from "../../../source/cloud/engines/engine.ts";
import { proxyOf } from "../../../source/cloud/engines/ray/check-cluster.ts";
import { RayClient } from "../../../source/cloud/engines/ray/ray-client.ts";
import { createRayEngine } from "../../../source/cloud/engines/ray/ray-engine.ts";
import { quickHealth } from "./engine-suite.ts";
import type { RayCluster } from "./ray-cluster.ts";

/** @param owner eight hexadecimal digits, other ones for each engine */
export function openRayEngine(
  { address, token, servePort: proxyPort }: RayCluster,
  stateFolder: string,
  owner: string,
): Engine {
  return createRayEngine({
    ...{ stateFolder, owner, health: quickHealth },
    client: new RayClient({ address, readToken: () => token }),
    proxy: proxyOf({ address, proxyPort }),
    log: () => {},
  });
}

/** Ends the engine with all its replicas. */
export async function endRayEngine(engine: Engine): Promise<void> {
  const observed = await engine.observe();
  const how = { signal: "kill", graceMs: 0 } as const;
  await Promise.all(observed.map(({ replica }) => engine.stopReplica(replica, how)));
  await engine.close();
}
