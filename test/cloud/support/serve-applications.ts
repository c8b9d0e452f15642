// Applications of Ray Serve that run scripts with the wrapper, deployed over the REST API.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";
import type { RayCluster } from "./ray-cluster.ts";

const limitMs = 120_000;
const pauseMs = 200;

export interface Application {
  status: string;
  message: string;
  deployments: Record<string, Deployment>;
}

interface Deployment {
  message: string;
  replicas: { actor_id: string; node_id: string; pid: number; state: string }[];
}

export class ServeApplications {
  readonly #cluster: RayCluster;
  readonly #listed = new Map<string, object>();

  constructor(cluster: RayCluster) {
    this.#cluster = cluster;
  }

  /** URL of an application through Serve's proxy. */
  url(name: string): string {
    return `http://127.0.0.1:${this.#cluster.servePort}/${name}`;
  }

  /** Uploads the wrapper with a script. @returns the working folder's address */
  async upload(script: string): Promise<string> {
    const folder = mkdtempSync(path.join(tmpdir(), "deployctl-package-"));
    const content = path.join(folder, "content");
    for (const name of ["deployctl_ray_wrapper", "deployctl_running", "shim", "runner.py"]) {
      cpSync(path.join(pythonFolder(), name), path.join(content, name), { recursive: true });
    }
    mkdirSync(path.join(content, "bundle"));
    writeFileSync(path.join(content, "bundle", "deploy.py"), script);
    const code = "import shutil, sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])";
    execFileSync("python3", ["-c", code, path.join(folder, "package"), content]);
    const name = `_ray_pkg_${randomBytes(8).toString("hex")}.zip`;
    const body = readFileSync(path.join(folder, "package.zip"));
    rmSync(folder, { recursive: true, force: true });
    const route = `/api/packages/gcs/${name}`;
    const answer = await this.#cluster.ask(route, { method: "PUT", body });
    if (!answer.ok) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
    // Ray removes a package with its last actor; asking for it adds a temporary reference.
    await this.#cluster.ask(route);
    return `gcs://${name}`;
  }

  /** Adds an application. @param args those that differ from the defaults */
  async add(name: string, workingFolder: string, args: object = {}): Promise<void> {
    this.list(name, workingFolder, args);
    await this.put();
  }

  /** Adds an application to the next `put`. */
  list(name: string, workingFolder: string, args: object = {}): void {
    this.#listed.set(name, {
      name,
      route_prefix: `/${name}`,
      import_path: "deployctl_ray_wrapper:build",
      runtime_env: { working_dir: workingFolder },
      args: {
        ...{ replica: name, script: "deploy.py", target: "serve", exposed_port: 8000 },
        ...{ ready_timeout_s: 60, termination_grace_s: 5, max_ongoing_requests: 8 },
        ...args,
      },
    });
  }

  /** Takes applications out of the next `put`. */
  unlist(...names: readonly string[]): void {
    for (const name of names) this.#listed.delete(name);
  }

  async remove(...names: readonly string[]): Promise<void> {
    this.unlist(...names);
    await this.put();
  }

  /** Sends the whole list. */
  async put(): Promise<void> {
    const answer = await this.#cluster.ask("/api/serve/applications/", {
      method: "PUT",
      body: JSON.stringify({
        proxy_location: "HeadOnly",
        http_options: { host: "127.0.0.1", port: this.#cluster.servePort },
        applications: [...this.#listed.values()],
      }),
    });
    if (!answer.ok) throw new Error(`PUT: ${answer.status} ${await answer.text()}`);
  }

  async all(): Promise<Record<string, Application>> {
    const answer = await this.#cluster.ask("/api/serve/applications/");
    return ((await answer.json()) as { applications: Record<string, Application> }).applications;
  }

  async running(name: string): Promise<Application> {
    return await this.until(name, (it) => it?.status === "RUNNING");
  }

  async gone(name: string): Promise<void> {
    await this.until(name, (it) => it === undefined);
  }

  /** Resolves with the first state that is accepted. */
  async until<State extends Application | undefined>(
    name: string,
    isReached: (application: Application | undefined) => boolean,
  ): Promise<State> {
    const deadline = Date.now() + limitMs;
    while (true) {
      const application = (await this.all())[name];
      if (isReached(application)) return application as State;
      if (Date.now() > deadline) {
        throw new Error(`the state never came: ${JSON.stringify(application, null, 1)}`);
      }
      await wait(pauseMs);
    }
  }
}
