// Repeated kill -9 of the control plane, the gateway, a replica's runner or its server, also during deployments:
// nothing is lost, started twice or left behind.
import { afterEach, beforeEach, expect, it } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import type { AppDetails, ReplicaDocument } from "../../../source/cloud/admin/documents.ts";
import { isProof } from "../../support/proof.ts";
import { until } from "../../support/until.ts";
import {
  clearFolder,
  clientOf,
  deployTo,
  fakeDeployment,
  killControlPlane,
  killGateway,
  killServer,
  makeFolder,
  replicaProcesses,
  startServer,
} from "../support/real-server.ts";

const rounds = isProof ? 50 : 4;
/** In the suite, kills a replica's server, the control plane, the gateway, and the control plane during a deployment. */
const seed = isProof ? 7 : 60;

let folder: string;
let baseUrl: string;
beforeEach(async () => {
  folder = makeFolder();
  ({ baseUrl } = await startServer(folder));
});
afterEach(async () => {
  await killServer(folder);
  await clearFolder(folder);
});

/** Same sequence in every run, so that failures can be reproduced. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const scale = { minConcurrency: 1 };
const revisionText = (number: number) => fakeDeployment(`revision ${number}`, { scale });
const living = async (): Promise<ReplicaDocument[]> =>
  (await clientOf(folder).replicas("chat")).filter(({ state }) => state !== "TERMINATED");

/** Waits for one ready replica of the active revision and no running deployment. */
async function settled(): Promise<{ app: AppDetails; replica: ReplicaDocument }> {
  const look = async () => ({ app: await clientOf(folder).app("chat"), replicas: await living() });
  const { app, replicas } = await until(look, (seen) => {
    const [only] = seen.replicas;
    return (
      seen.app.rollout === undefined &&
      seen.replicas.length === 1 &&
      only?.state === "IDLE" &&
      only.revision === seen.app.activeRevision
    );
  });
  const [replica] = replicas;
  if (replica === undefined) throw new Error("no replica");
  return { app, replica };
}

it(`${rounds} random kills lose no app, mix no revisions and start nothing twice`, async () => {
  const draw = drawing(seed);
  expect(await deployTo(clientOf(folder), revisionText(0))).toMatchObject({ kind: "done" });
  let number = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const before = await settled();
    const victim = Math.floor(draw() * 5);
    if (victim === 0) {
      // Control plane: the replica is adopted, and no other is started.
      await killControlPlane(folder);
      const { replica } = await settled();
      expect([replica.replica, replica.processId]).toEqual([
        before.replica.replica,
        before.replica.processId,
      ]);
    } else if (victim === 1) {
      number += 1;
      await killWhileDeploying(number, draw() * 600);
      const { app } = await settled();
      // Either the old or the new revision is active.
      const revisions = await clientOf(folder).revisions("chat");
      const active = revisions.find(({ revision }) => revision === app.activeRevision);
      expect(active?.state).toBe("ACTIVE");
      expect(revisions.filter(({ state }) => state === "ACTIVE")).toHaveLength(1);
      const isNew = revisions[0]?.revision !== before.app.activeRevision;
      if (app.activeRevision !== before.app.activeRevision) expect(isNew).toBe(true);
    } else if (victim === 2) {
      // Gateway: its successor serves from the same replica.
      await killGateway(folder);
      const { replica } = await settled();
      expect(replica.replica).toBe(before.replica.replica);
    } else {
      // A replica's runner or its server, with or without the control plane.
      const processes = [...(await replicaProcesses(folder)).values()].flat();
      const target = victim === 3 ? before.replica.processId : processes.at(-1);
      process.kill(target ?? 0, "SIGKILL");
      if (draw() < 0.3) await killControlPlane(folder);
      await until(living, (all) => all.every(({ replica }) => replica !== before.replica.replica));
      const { replica } = await settled();
      expect(replica.revision).toBe(before.replica.revision);
    }
    await expect.poll(() => replicaProcesses(folder)).toMatchObject({ size: 1 });
    expect((await fetch(`${baseUrl}/local/chat/v1/models`)).status).toBe(200);
  }
  const events = await clientOf(folder).events({});
  const kinds = new Set<string>();
  for await (const { kind } of events) kinds.add(kind);
  expect(kinds).toContain("crashed");
  await clientOf(folder).deleteApp("chat");
  await expect.poll(() => replicaProcesses(folder)).toMatchObject({ size: 0 });
}, 300_000);

/** Resolves when the server runs again; the deployment may or may not have been accepted. */
async function killWhileDeploying(number: number, afterMs: number): Promise<void> {
  const deploying = deployTo(clientOf(folder), revisionText(number)).catch((error: unknown) => {
    if (!(error instanceof ProductError)) throw error;
  });
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await killControlPlane(folder);
  await deploying;
}
