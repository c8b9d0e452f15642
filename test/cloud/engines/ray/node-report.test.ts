// The job that asks the nodes, on a cluster in memory; the tests of the proof run it on a real one.
import { afterEach, beforeEach, expect, test } from "vitest";
import { reportNodes } from "../../../../source/cloud/engines/ray/node-report.ts";
import { RayClient } from "../../../../source/cloud/engines/ray/ray-client.ts";
import { FakeRay } from "../../support/fake-ray.ts";

let ray: FakeRay;
let client: RayClient;

beforeEach(async () => {
  ray = new FakeRay();
  await ray.start();
  client = new RayClient({ address: ray.address, readToken: () => "token" });
});
afterEach(async () => await ray.stop());

const versions = { python: "3.11.7", ray: "2.58.0", node: "24.1.0", modelctl: "0.1.0" };
const place = { node_id: "node1", address: "10.0.0.5", is_head: true };
const report = { ...place, ...versions, serve_error: null, error: null };

test("returns what the job prints among other lines, and removes the job", async () => {
  const line = JSON.stringify({ phase: "nodes", nodes: [report] }).replace(":", ": ");
  ray.job = { status: "SUCCEEDED", message: "", logs: `INFO starting\n@deployctl ${line}\n` };
  expect(await reportNodes(client)).toEqual([report]);
  expect(ray.uploads).toHaveLength(1);
  expect(ray.jobs).toEqual([]);
});

test("tells why the job failed, and keeps it for a look at its log", async () => {
  ray.job = { status: "FAILED", message: "exit code 1", logs: "" };
  await expect(reportNodes(client)).rejects.toMatchObject({
    code: "CLOUD_RAY_REFUSED",
    message: expect.stringContaining("exit code 1"),
  });
  expect(ray.jobs).toEqual([". deployctl_ray_wrapper/report_nodes.sh"]);
});

test.each(['"nodes": 1}', '"nodes": [{"node_id"'])("refuses a report with %s", async (rest) => {
  ray.job = { status: "SUCCEEDED", message: "", logs: `@deployctl {"phase": "nodes", ${rest}` };
  await expect(reportNodes(client)).rejects.toMatchObject({ code: "CLOUD_RAY_REFUSED" });
});
