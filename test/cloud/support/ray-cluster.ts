// A Ray cluster on this machine: a head and more nodes, with token authentication.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { request } from "undici";
import { modelctlCommand } from "../../../source/application/deploying/deploy-script.ts";
import { spawnWatched } from "../../../source/base/parent-watch.ts";
import { findFreePort } from "../../support/command-line.ts";
import { processesOfHome } from "../../support/processes.ts";
import { until } from "../../support/until.ts";

/** A slow or busy machine takes minutes; an idle one, 8 s. */
export const startLimitMs = 300_000;
const stopLimitMs = 30_000;
const pauseMs = 250;
const raylet = /\/raylet\/raylet /;
/** The least that Ray takes. */
const objectStoreBytes = 80_000_000;

export class RayCluster {
  readonly python: string;
  /** Token of the REST API. */
  readonly token = randomBytes(24).toString("hex");
  /** Port of Serve's proxy, for the options of the first deployment. */
  readonly servePort: number;
  readonly #ports: Record<"gcs" | "dashboard", number>;
  /** A short path: it is part of those of sockets, which have 107 bytes. */
  readonly #home = mkdtempSync("/tmp/ray-");

  readonly #processorsPerNode: number;

  private constructor(python: string, processorsPerNode: number, ports: readonly number[]) {
    const [gcs = 0, dashboard = 0, serve = 0] = ports;
    this.python = python;
    this.#processorsPerNode = processorsPerNode;
    this.servePort = serve;
    this.#ports = { gcs, dashboard };
  }

  /** @returns once all nodes are there and Serve can be used */
  static async start(python: string, workers = 1, processorsPerNode = 4): Promise<RayCluster> {
    const ports = [await findFreePort(), await findFreePort(), await findFreePort()];
    const cluster = new RayCluster(python, processorsPerNode, ports);
    try {
      await cluster.startHead();
      for (let number = 1; number <= workers; number += 1) await cluster.startWorker(number);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#ports.dashboard}`;
  }

  async startHead(): Promise<void> {
    const { gcs, dashboard } = this.#ports;
    await this.#startNode("head", 1, [
      ...["--head", `--port=${gcs}`, `--dashboard-port=${dashboard}`],
      ...["--dashboard-host=127.0.0.1", "--num-gpus=0"],
      `--ray-client-server-port=${await findFreePort()}`,
    ]);
  }

  /** The node pretends to have two GPUs. */
  async startWorker(number: number): Promise<void> {
    const nodes = (await this.nodeCount()) + 1;
    const resources = JSON.stringify({ edge: 4, "accelerator_type:H100": 2 });
    await this.#startNode(`worker-${number}`, nodes, [
      ...[`--address=127.0.0.1:${this.#ports.gcs}`, "--num-gpus=2", `--resources=${resources}`],
    ]);
  }

  /** Ends all nodes at once, as if their machines had lost power. */
  async kill(): Promise<void> {
    await until(
      () => {
        const found = processesOfHome(this.#home);
        for (const { id } of found) endProcess(id);
        return found;
      },
      (found) => found.length === 0,
      stopLimitMs,
    );
  }

  /** Kills the raylet of a worker alone, which ends the node. */
  async killRaylet(number: number): Promise<void> {
    const home = path.join(this.#home, `worker-${number}`);
    const found = processesOfHome(home).find(({ text }) => raylet.test(text));
    if (found === undefined) throw new Error(`worker ${number} has no raylet`);
    process.kill(found.id, "SIGKILL");
    await until(
      () => processesOfHome(home),
      (left) => left.length === 0,
      startLimitMs,
    );
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** Asks the REST API. It refuses changes from browsers, among which it counts Node's `fetch`. */
  async ask(route: string, change?: { method: string; body: string | Buffer }): Promise<Response> {
    const { statusCode, body } = await request(`${this.address}${route}`, {
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      ...change,
    });
    return new Response(await body.text(), { status: statusCode });
  }

  async nodeCount(): Promise<number> {
    const answer = await this.ask("/api/v0/nodes");
    const { data } = (await answer.json()) as { data: { result: { result: Node[] } } };
    return data.result.result.filter(({ state }) => state === "ALIVE").length;
  }

  async #startNode(name: string, nodes: number, words: readonly string[]): Promise<void> {
    const home = path.join(this.#home, name);
    const log = openSync(`${home}.log`, "a");
    const ray = path.join(path.dirname(this.python), "ray");
    const common = [
      ...["--block", "--disable-usage-stats", "--node-ip-address=127.0.0.1"],
      `--num-cpus=${this.#processorsPerNode}`,
      // Nodes that share a folder remove each other's unpacked packages.
      ...[`--object-store-memory=${objectStoreBytes}`, `--temp-dir=${home}`],
      `--dashboard-agent-listen-port=${await findFreePort()}`,
    ];
    const node = spawnWatched("tree", () =>
      spawn(ray, ["start", ...words, ...common], {
        stdio: ["ignore", log, log],
        env: {
          PATH: `${path.dirname(this.python)}:${process.env.PATH}`,
          HOME: home,
          LANG: "C.UTF-8",
          DEPLOYCTL_MODELCTL: modelctlCommand(),
          RAY_AUTH_MODE: "token",
          RAY_AUTH_TOKEN: this.token,
          RAY_DASHBOARD_SUBPROCESS_MODULE_WAIT_READY_TIMEOUT: "120",
          RAY_raylet_start_wait_time_s: "120",
          // Workers would otherwise wait for everything else on the machine.
          RAY_worker_niceness: "0",
        },
      }),
    );
    const deadline = Date.now() + startLimitMs;
    while (!(await this.#isReady(nodes))) {
      if (node.exitCode !== null || Date.now() > deadline) {
        throw new Error(`Ray's ${name} did not start:\n${readFileSync(`${home}.log`, "utf8")}`);
      }
      await wait(pauseMs);
    }
  }

  /** `ray start` says that all is well even where the dashboard or a raylet has died. */
  async #isReady(nodes: number): Promise<boolean> {
    try {
      const serve = await this.ask("/api/serve/applications/");
      return serve.ok && (await this.nodeCount()) >= nodes;
    } catch {
      return false;
    }
  }
}

interface Node {
  state: string;
}

function endProcess(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // It has ended in between.
  }
}
