// State database that is damaged while replicas run: they are not ended as orphans, and a backup restores
// everything.
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { stopCloudServer } from "../../../source/application/cloud-host/cloud-server.ts";
import { restoreState } from "../../../source/application/cloud-host/cloud-state.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { stateFile } from "../../../source/cloud/state/database.ts";
import { until } from "../../support/until.ts";
import {
  clearFolder,
  clientOf,
  deployTo,
  fakeDeployment,
  killServer,
  makeFolder,
  replicaProcesses,
  startServer,
} from "../support/real-server.ts";

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(async () => {
  await clearFolder(folder);
});

it("replicas keep running through a damaged database and are adopted from its backup", async () => {
  await startServer(folder);
  const client = clientOf(folder);
  expect(
    await deployTo(client, fakeDeployment("one", { scale: { minConcurrency: 1 } })),
  ).toMatchObject({
    kind: "done",
  });
  const [before] = await client.replicas("chat");
  const { file: backup } = await client.backUpState();
  await killServer(folder);
  // Damages the journal too, from which SQLite would repair the file.
  for (const file of [stateFile(folder), `${stateFile(folder)}-wal`]) {
    writeFileSync(file, readFileSync(file).fill(0x5a, 100));
  }

  for (let time = 1; time <= 2; time += 1) {
    await expect(startServer(folder)).rejects.toMatchObject({
      code: cloudErrors.stateCorrupt.code,
      message: expect.stringContaining(backup),
    });
  }
  expect((await replicaProcesses(folder)).size).toBe(1);

  restoreState(folder, backup);
  const restored = await startServer(folder);
  try {
    const [after] = await until(
      () => client.replicas("chat"),
      ([replica]) => replica?.state === "IDLE",
    );
    expect([after?.replica, after?.processId]).toEqual([before?.replica, before?.processId]);
    expect((await fetch(`${restored.baseUrl}/local/chat/v1/models`)).status).toBe(200);
  } finally {
    await stopCloudServer(folder, { drain: false, keepReplicas: false });
  }
  expect((await replicaProcesses(folder)).size).toBe(0);
});
