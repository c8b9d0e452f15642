// The list of Serve applications, of which each change sends the whole, against a cluster in memory.
import { beforeEach, expect, it } from "vitest";
import type { RayClient } from "../../../../source/cloud/engines/ray/ray-client.ts";
import type {
  ServeDeployment,
  ServeState,
} from "../../../../source/cloud/engines/ray/ray-documents.ts";
import { ServeApplications } from "../../../../source/cloud/engines/ray/serve-applications.ts";

/** Applications on the cluster: name to the document that made it; null for those from Python. */
let present: Map<string, Record<string, unknown> | null>;
let deployments: ServeDeployment[];
let fault: Error | undefined;
let applications: ServeApplications;

const client: Pick<RayClient, "serve" | "deploy"> = {
  serve: async () => state(),
  deploy: async (deployment) => {
    deployments.push(deployment);
    await new Promise((resolve) => setImmediate(resolve));
    if (fault !== undefined) throw fault;
    const fromPython = [...present].filter(([, document]) => document === null);
    const listed = deployment.applications.map((document) => [document.name, document] as const);
    present = new Map([...fromPython, ...listed]);
  },
};

function state(): ServeState {
  const entries = [...present].map(([name, deployed_app_config]) => {
    return [name, { status: "RUNNING", deployed_app_config, deployments: {} }] as const;
  });
  return { applications: Object.fromEntries(entries) };
}

beforeEach(() => {
  present = new Map([
    ["other", { name: "other", route_prefix: "/other" }],
    ["python", null],
  ]);
  deployments = [];
  fault = undefined;
  const proxy = { listenHost: "127.0.0.1", port: 8000 };
  applications = new ServeApplications({ client, owner: "abc", proxy });
});

const one = { name: "dctl-abc-one", import_path: "x:y" };
const two = { name: "dctl-abc-two", import_path: "x:y" };
const names = () => [...present.keys()].sort();

it("adds and removes, and keeps the applications of others as they are", async () => {
  await applications.add(one);
  expect(names()).toEqual(["dctl-abc-one", "other", "python"]);
  expect(deployments.at(-1)).toEqual({
    proxy_location: "HeadOnly",
    http_options: { host: "127.0.0.1", port: 8000 },
    applications: [{ name: "other", route_prefix: "/other" }, one],
  });
  await applications.remove(one.name);
  expect(names()).toEqual(["other", "python"]);
});

it("sends changes that come together at once, one list after the other", async () => {
  const adding = [applications.add(one), applications.add(two)];
  await Promise.all(adding);
  expect(deployments).toHaveLength(1);
  await Promise.all([applications.remove(one.name), applications.remove(two.name)]);
  expect(deployments).toHaveLength(2);
  expect(names()).toEqual(["other", "python"]);
});

it("does not send a refused application again", async () => {
  fault = new Error("no such import path");
  await expect(applications.add(one)).rejects.toThrow("no such import path");
  fault = undefined;
  await applications.add(two);
  expect(names()).toEqual(["dctl-abc-two", "other", "python"]);
});

it("keeps adopted ones, and removes those of this server that nobody wants", async () => {
  present.set(one.name, one).set(two.name, two).set("dctl-def-one", { name: "dctl-def-one" });
  applications.keep(one.name);
  await applications.removeOthers(state());
  expect(names()).toEqual(["dctl-abc-one", "dctl-def-one", "other", "python"]);
  await applications.removeOthers(state());
  expect(deployments).toHaveLength(1);
});
