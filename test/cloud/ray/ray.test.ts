// Everything that needs a real Ray cluster, which one file starts once.
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { RayCluster, startLimitMs } from "../support/ray-cluster.ts";
import { installLimitMs, rayPython } from "../support/ray-environment.ts";
import { engineSuite } from "./engine-suite.ts";
import { wrapperSuite } from "./wrapper-suite.ts";

let started: RayCluster | undefined;

beforeAll(
  async () => {
    const python = await rayPython();
    if (python !== undefined) started = await RayCluster.start(python);
  },
  installLimitMs + 2 * startLimitMs,
);
afterAll(async () => await started?.stop());
beforeEach(({ skip }) => {
  if (started === undefined) skip("Ray cannot be installed");
});

function cluster(): RayCluster {
  if (started === undefined) throw new Error("Ray cannot be installed");
  return started;
}

describe("the wrapper", () => wrapperSuite(cluster));
describe("the engine", () => engineSuite(() => started));
