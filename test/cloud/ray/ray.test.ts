// Everything that needs a real Ray cluster, which this file starts once; part of `npm run proof`.
import { afterAll, beforeAll, describe } from "vitest";
import { isProof } from "../../support/proof.ts";
import { RayCluster, startLimitMs } from "../support/ray-cluster.ts";
import { rayPython } from "../support/ray-environment.ts";
import { engineSuite } from "./engine-suite.ts";
import { wrapperSuite } from "./wrapper-suite.ts";

const python = isProof ? await rayPython() : undefined;

describe.skipIf(python === undefined)("on a Ray cluster", () => {
  let started: RayCluster | undefined;

  beforeAll(async () => {
    started = await RayCluster.start(python ?? "");
  }, 2 * startLimitMs);
  afterAll(async () => await started?.stop(), startLimitMs);

  function cluster(): RayCluster {
    if (started === undefined) throw new Error("the cluster did not start");
    return started;
  }

  describe("the wrapper", () => wrapperSuite(cluster));
  describe("the engine", () => engineSuite(cluster));
});
