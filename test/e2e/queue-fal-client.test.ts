// fal's own Python client against the gateway, over HTTPS with the server's own authority.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { QueuedRequestDocument, UsageDocument } from "../../source/cloud/admin/documents.ts";
import { CloudHome, fakeServerScript } from "../support/cloud-home.ts";
import { repositoryFolder } from "../support/command-line.ts";
import { falClientPython } from "../support/fastapi-environment.ts";
import { until } from "../support/until.ts";

let cloud: CloudHome;
let python: string | undefined;

beforeAll(async () => {
  cloud = await CloudHome.create();
  python = await falClientPython();
  await cloud.json(["up", "--tls", "self-signed"]);
  const decorator = "@deployctl.app(port=8000, max_multiplexing=1)";
  cloud.write("deploy.py", fakeServerScript({ decorator }));
  await cloud.json(["deploy", "deploy.py", "--app-name", "queued"]);
}, 200_000);
afterAll(async () => await cloud.remove());
beforeEach(({ skip }) => {
  if (python === undefined) skip("no index of Python packages can be reached");
});

test("submits, follows, reads, streams and cancels", async () => {
  const host = `127.0.0.1:${cloud.gatewayPort}`;
  const walk = path.join(repositoryFolder, "test/fixtures/cloud/fal-client-walk.py");
  const { stdout } = await promisify(execFile)(python ?? "", [walk], {
    env: {
      ...{ PATH: process.env.PATH, HOME: cloud.folder, FAL_KEY: await cloud.createKey() },
      ...{ FAL_RUN_HOST: host, FAL_QUEUE_RUN_HOST: `${host}/queue` },
      SSL_CERT_FILE: path.join(cloud.stateFolder, "tls", "ca.pem"),
    },
    timeout: 120_000,
  });
  const { urls, states, ...found } = JSON.parse(stdout) as Record<string, string[]>;
  const prefix = `https://${host}/queue/local/queued/requests/`;
  expect(urls?.every((url) => url.startsWith(prefix))).toBe(true);
  expect(states?.at(-1)).toBe("Completed");
  expect(found).toEqual({
    echo: ["POST", "/echo", { a: 1 }],
    ...{ subscribed: "POST", last_update: "Completed", run: { c: 3 }, stream: [0, 1, 2] },
    ...{ position: 0, waited: "POST", async: { d: 4 }, app_error: 418 },
    cancelled: [499, "client_cancelled", "The request was cancelled."],
    cancelled_twice: [400, null, "The request has already completed."],
    unknown: [404, "request_not_found", expect.stringContaining("No such request")],
    status_error: ["client_cancelled", []],
  });
  await administer();
}, 150_000);

/** Calls of the walk that do not use the queue: `run` and `stream`. */
const direct = 2;

/** The same requests for an administrator. */
async function administer(): Promise<void> {
  const { requests } = await cloud.json<{ requests: QueuedRequestDocument[] }>([
    ...["queue", "list", "queued", "--state", "completed"],
  ]);
  const cancelled = requests.find(({ errorType }) => errorType === "client_cancelled");
  expect(cancelled).toMatchObject({ state: "COMPLETED", status: 499, app: "queued" });
  const id = cancelled?.id ?? "";
  const shown = await cloud.call(["queue", "show", id]);
  expect(shown.output).toMatch(/^Error +The request was cancelled\.$/m);
  expect(await cloud.call(["queue", "cancel", id])).toMatchObject({ code: 5 });
  expect(await cloud.call(["queue", "show", "0"])).toMatchObject({ code: 3 });
  const { usage } = await until(
    async () => await cloud.json<{ usage: UsageDocument[] }>(["usage", "queued"]),
    ({ usage: [counted] }) => (counted?.requests ?? 0) >= requests.length + direct,
  );
  expect(usage).toMatchObject([{ requests: requests.length + direct, queued: requests.length }]);
  const purged = await cloud.json(["queue", "purge", "queued"]);
  expect(purged).toEqual({ app: "queued", cancelled: 0, deleted: requests.length });
  expect(await cloud.json(["queue", "list"])).toEqual({ requests: [] });
}
