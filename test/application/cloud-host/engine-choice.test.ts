// Refusals of clusters that cannot be used, against a server that answers as Ray would.

import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  chooseProcesses,
  chooseRay,
  examineEngine,
  type RayChoice,
} from "../../../source/application/cloud-host/engine-choice.ts";
import { ProductError } from "../../../source/base/product-error.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const token = "secret-token";
const usualNode = {
  node_id: "a1b2c3d4e5f6",
  node_ip: "10.0.0.5",
  is_head_node: true,
  state: "ALIVE",
  resources_total: { CPU: 8, GPU: 2, "accelerator_type:H100": 1, memory: 1e9 },
};

let server: Server;
let port: number;
let folder: string;
let isOpen: boolean;
/** Answers by path: status and document. */
let answers: Record<string, [status: number, document: unknown]>;

beforeEach(async () => {
  folder = temporaryFolder();
  writeFileSync(path.join(folder, "token"), `${token}\n`);
  isOpen = false;
  answers = {
    "/api/version": [200, { ray_version: "2.58.0", session_name: "session_1" }],
    "/api/serve/applications/": [200, { applications: {} }],
    "/api/v0/nodes": [200, { data: { result: { result: [usualNode] } } }],
    "/nodes": [
      200,
      { data: { nodeLogicalResources: { a1b2c3d4e5f6: "4.5/8.0 CPU\n1.0/2.0 GPU" } } },
    ],
  };
  server = createServer(({ url = "", headers }, response) => {
    const { authorization } = headers;
    if (!isOpen && authorization !== `Bearer ${token}`) {
      response.writeHead(authorization === undefined ? 401 : 403).end("Unauthorized");
      return;
    }
    const [status, document] = answers[url.split("?")[0] ?? ""] ?? [404, "404: Not Found"];
    response
      .writeHead(status)
      .end(typeof document === "string" ? document : JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

const address = () => `http://127.0.0.1:${port}`;

function choice(change: Partial<RayChoice> = {}): RayChoice {
  const tokenFile = path.join(folder, "token");
  return { address: address(), tokenFile, allowsOpenCluster: false, proxyPort: 8000, ...change };
}

async function refusal(change: Partial<RayChoice> = {}): Promise<string> {
  const error: unknown = await chooseRay(folder, choice(change)).catch((reason: unknown) => reason);
  if (!(error instanceof ProductError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  // A refused choice changes nothing.
  expect(await examineEngine(folder)).toEqual({ engine: "process" });
  return `${error.code}: ${error.message}`;
}

describe("a suitable cluster", () => {
  it("is chosen, shown with its nodes, and left again", async () => {
    const report = await chooseRay(folder, choice());
    expect(report).toEqual({
      engine: "ray",
      address: address(),
      version: "2.58.0",
      proxyPort: 8000,
      replicas: 0,
      otherApplications: 0,
      nodes: [
        {
          name: "10.0.0.5",
          id: "a1b2c3d4e5f6",
          isHead: true,
          isLost: false,
          resources: "8 CPUs and 2 x H100",
          free: "3.5 of 8 CPUs, 1 of 2 GPUs",
        },
      ],
    });
    expect(await examineEngine(folder)).toEqual(report);
    expect(readFileSync(path.join(folder, "engine.json"), "utf8")).not.toContain(token);
    await chooseProcesses(folder);
    expect(await examineEngine(folder)).toEqual({ engine: "process" });
  });

  it("is not left while replicas of this server run there", async () => {
    await chooseRay(folder, choice());
    const { owner } = JSON.parse(readFileSync(path.join(folder, "engine.json"), "utf8"));
    const application = { status: "RUNNING", deployments: {} };
    const applications = { [`dctl-${owner}-abc`]: application, other: application };
    answers["/api/serve/applications/"] = [200, { applications }];
    expect(await examineEngine(folder)).toMatchObject({ replicas: 1, otherApplications: 1 });
    await expect(chooseProcesses(folder)).rejects.toThrow("still running");
  });
});

describe("a refusal names the problem:", () => {
  it("no cluster at the address", async () => {
    await new Promise((resolve) => server.close(resolve));
    expect(await refusal()).toBe(
      `CLOUD_RAY_UNREACHABLE: The Ray cluster at ${address()} does not answer (connection refused)`,
    );
  });

  it("another server", async () => {
    isOpen = true;
    answers = { "/api/version": [200, "<html>Welcome</html>"] };
    expect(await refusal()).toBe(
      `CLOUD_RAY_UNSUPPORTED: The server at ${address()} is not the dashboard of a Ray cluster`,
    );
  });

  it("a wrong token", async () => {
    writeFileSync(path.join(folder, "token"), "wrong\n");
    expect(await refusal()).toBe(
      `CLOUD_RAY_TOKEN_REFUSED: The Ray cluster at ${address()} refused the token`,
    );
  });

  it("a token file that is missing or empty", async () => {
    const tokenFile = path.join(folder, "none");
    expect(await refusal({ tokenFile })).toContain(
      "CLOUD_ENGINE_INVALID: Cannot read the token file",
    );
    writeFileSync(tokenFile, "\n");
    expect(await refusal({ tokenFile })).toContain(
      "must contain one line with the cluster's token",
    );
  });

  it("an open cluster, unless that is allowed", async () => {
    isOpen = true;
    expect(await refusal()).toBe(
      `CLOUD_RAY_OPEN: The Ray cluster at ${address()} lets anyone run programs: it needs no token`,
    );
    const { tokenFile: _, ...without } = choice({ allowsOpenCluster: true });
    expect(await chooseRay(folder, without)).toMatchObject({ engine: "ray" });
  });

  it("an old version", async () => {
    answers["/api/version"] = [200, { ray_version: "2.53.1", session_name: "session_1" }];
    expect(await refusal()).toBe(`CLOUD_RAY_UNSUPPORTED: Ray 2.53.1 at ${address()} is too old`);
  });

  it("a head node without Serve", async () => {
    answers["/api/serve/applications/"] = [501, "Serve dependencies are not installed."];
    expect(await refusal()).toBe(
      `CLOUD_RAY_UNSUPPORTED: The head node of the Ray cluster at ${address()} lacks Ray Serve: Serve dependencies are not installed.`,
    );
  });

  it("another port of Serve", async () => {
    answers["/api/serve/applications/"] = [200, { applications: {}, http_options: { port: 9000 } }];
    expect(await refusal()).toContain("has port 9000, not 8000");
  });

  it("no node", async () => {
    answers["/api/v0/nodes"] = [200, { data: { result: { result: [] } } }];
    expect(await refusal()).toBe(`CLOUD_NO_CAPACITY: The Ray cluster at ${address()} has no nodes`);
  });

  it("a broken cluster", async () => {
    answers["/api/serve/applications/"] = [503, "The GCS may be down."];
    expect(await refusal()).toContain("CLOUD_RAY_UNREACHABLE");
  });
});
