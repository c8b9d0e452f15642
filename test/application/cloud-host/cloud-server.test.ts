import { createServer } from "node:net";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import {
  cloudLogFile,
  startSupervisor,
} from "../../../source/application/cloud-host/cloud-server.ts";
import { ProductError } from "../../../source/base/product-error.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { StateDatabase, stateFile } from "../../../source/cloud/state/database.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const entry = path.join(import.meta.dirname, "../../../dist/deployctl.js");

let stateFolder: string;
beforeEach(() => {
  stateFolder = temporaryFolder();
});

async function faultOfStart(listen: string): Promise<ProductError> {
  const words = ["up", "--foreground", "--state-dir", stateFolder, "--listen", listen];
  const error: unknown = await startSupervisor({ entry, words, stateFolder }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProductError) return error;
  throw new Error(`it has started: ${String(error)}`);
}

it("reports that its port is in use", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  try {
    expect(await faultOfStart(`127.0.0.1:${port}`)).toMatchObject({
      code: cloudErrors.addressUnusable.code,
      exitCode: 5,
      message: expect.stringMatching(
        process.platform === "linux"
          ? new RegExp(`${port}: already in use by .*\\(${process.pid}\\)\\. Stop it, or choose`)
          : `${port}: already in use by another program`,
      ),
      hint: expect.stringContaining(cloudLogFile(stateFolder)),
    });
  } finally {
    other.close();
  }
});

it("reports that another process has its database", async () => {
  const database = StateDatabase.open(stateFile(stateFolder));
  try {
    expect(await faultOfStart("127.0.0.1:0")).toMatchObject({
      code: cloudErrors.alreadyRunning.code,
      exitCode: 5,
    });
  } finally {
    database.close();
  }
});

it("reports invalid settings", async () => {
  expect(await faultOfStart("127.0.0.1:99999")).toMatchObject({
    code: "COMMAND_USAGE",
    exitCode: 2,
    message: expect.stringContaining("is not an address"),
  });
});
