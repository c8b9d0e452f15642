// Checks of the database of a stopped server.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { adminSocket } from "../../../source/application/cloud-host/cloud-server.ts";
import { examineState } from "../../../source/application/cloud-host/cloud-state.ts";
import { AdminClient } from "../../../source/cloud/admin/admin-client.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { StateDatabase, stateFile } from "../../../source/cloud/state/database.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const examine = (stateFolder: string) =>
  examineState(stateFolder, new AdminClient({ socketPath: adminSocket(stateFolder) }));

it("is reported missing before the first control plane, not damaged", async () => {
  for (const stateFolder of [folder, path.join(folder, "none")]) {
    await expect(examine(stateFolder)).rejects.toMatchObject({
      code: cloudErrors.stateMissing.code,
      exitCode: 3,
      message: expect.stringContaining(stateFolder),
    });
  }
});

it("is sound, or has its problem", async () => {
  StateDatabase.open(stateFile(folder)).close();
  expect(await examine(folder)).toMatchObject({ problems: [], backups: [] });
  writeFileSync(stateFile(folder), "x".repeat(5000));
  expect((await examine(folder)).problems).toHaveLength(1);
});

it("is reported missing after it was set aside", async () => {
  writeFileSync(`${stateFile(folder)}.damaged-2030-01-01`, "");
  expect((await examine(folder)).problems).toEqual(["no such file"]);
});
