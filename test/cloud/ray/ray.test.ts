// Everything that needs a real Ray cluster, which this file starts once. `npm run proof` has three
// nodes, and all suites.
import { afterAll, beforeAll, describe } from "vitest";
import { isProof } from "../../support/proof.ts";
import { RayCluster, startLimitMs } from "../support/ray-cluster.ts";
import { rayPython } from "../support/ray-environment.ts";
import { applications, changesSuite } from "./changes-suite.ts";
import { engineSuite } from "./engine-suite.ts";
import { loadSuite } from "./load-suite.ts";
import { shortSuite } from "./short-suite.ts";
import { wrapperSuite } from "./wrapper-suite.ts";

const python = await rayPython();

describe.skipIf(python === undefined)("on a Ray cluster", () => {
  let started: RayCluster | undefined;

  beforeAll(async () => {
    const processors = Math.max(4, Math.ceil(applications / 2));
    started = await RayCluster.start(python ?? "", isProof ? 2 : 1, processors);
  }, 2 * startLimitMs);
  afterAll(async () => await started?.stop(), startLimitMs);

  function cluster(): RayCluster {
    if (started === undefined) throw new Error("the cluster did not start");
    return started;
  }

  describe.runIf(isProof)("the wrapper", () => wrapperSuite(cluster));
  describe.runIf(isProof)("the engine", () => engineSuite(cluster));
  describe.runIf(isProof)("under load", () => loadSuite(cluster));
  describe.runIf(isProof)("applications beside others", () => changesSuite(cluster));
  describe("replicas", () => shortSuite(cluster));
});
