// The REST API of a Ray cluster in memory, whose applications do what a test says.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

interface Application {
  document: Record<string, unknown> & { name: string };
  status: string;
  message: string;
  replica: { replica_id: string; state: string; node_id: string; actor_id: string } | undefined;
}

export class FakeRay {
  readonly applications = new Map<string, Application>();
  readonly packages = new Set<string>();
  /** Output of actors by their id. */
  readonly output = new Map<string, string>();
  /** Packages in the order of their uploads. */
  readonly uploads: string[] = [];
  /** State and output of the job, once one was started. */
  job = { status: "PENDING", message: "", logs: "" };
  /** Entry points of jobs, until they are deleted. */
  readonly jobs: string[] = [];
  cpus = 4;
  #server: Server;
  #actors = 0;
  #port = 0;

  constructor() {
    this.#server = this.#create();
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get names(): string[] {
    return [...this.applications.keys()].sort();
  }

  /** Listens on the port that it had before. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(this.#port, "127.0.0.1", () => resolve());
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Loses everything, as a head does that is killed. */
  async stop(): Promise<void> {
    this.applications.clear();
    this.packages.clear();
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
    this.#server = this.#create();
  }

  /** Places the application's replica, or another one in its stead. @returns its actor */
  place(name: string, state: "STARTING" | "RUNNING"): string {
    const application = this.#application(name);
    this.#actors += 1;
    const id = `actor${this.#actors}`;
    application.replica = { replica_id: id, state, node_id: "node1", actor_id: id };
    application.status = state === "RUNNING" ? "RUNNING" : "DEPLOYING";
    return id;
  }

  /** Lets the placed replica be ready. */
  run(name: string): void {
    const application = this.#application(name);
    application.status = "RUNNING";
    if (application.replica !== undefined) application.replica.state = "RUNNING";
  }

  fail(name: string, message: string): void {
    Object.assign(this.#application(name), { status: "DEPLOY_FAILED", message });
  }

  #application(name: string): Application {
    const found = this.applications.get(name);
    if (found === undefined) throw new Error(`no application ${name}, only ${this.names}`);
    return found;
  }

  #create(): Server {
    return createServer(async (request, response) => {
      const url = new URL(request.url ?? "", "http://ray");
      const body = Buffer.concat(await request.toArray()).toString();
      const [status, document] = this.#answer(`${request.method} ${url.pathname}`, url, body);
      response
        .writeHead(status)
        .end(typeof document === "string" ? document : JSON.stringify(document));
    });
  }

  #answer(route: string, url: URL, body: string): [status: number, document: unknown] {
    const file = url.pathname.split("/").at(-1) ?? "";
    switch (route.replace(/_ray_pkg_.*/, "")) {
      case "GET /api/serve/applications/":
        return [200, { applications: Object.fromEntries([...this.applications].map(describe)) }];
      case "PUT /api/serve/applications/":
        this.#deploy(JSON.parse(body).applications);
        return [200, ""];
      case "GET /api/packages/gcs/":
        return [this.packages.has(file) ? 200 : 404, ""];
      case "PUT /api/packages/gcs/":
        this.packages.add(file);
        this.uploads.push(file);
        return [200, ""];
      case "POST /api/jobs/":
        this.jobs.push(JSON.parse(body).entrypoint);
        return [200, { submission_id: "job1" }];
      case "GET /api/jobs/job1":
        return [200, { submission_id: "job1", ...this.job }];
      case "GET /api/jobs/job1/logs":
        return [200, { logs: this.job.logs }];
      case "DELETE /api/jobs/job1":
        this.jobs.pop();
        return [200, true];
      case "GET /api/v0/nodes": {
        const node = { node_id: "node1", node_ip: "10.0.0.5", is_head_node: true, state: "ALIVE" };
        return [
          200,
          { data: { result: { result: [{ ...node, resources_total: { CPU: this.cpus } }] } } },
        ];
      }
      case "GET /nodes":
        return [200, { data: { nodeLogicalResources: { node1: `0.0/${this.cpus}.0 CPU` } } }];
      case "GET /api/v0/logs/file": {
        const output = this.output.get(url.searchParams.get("actor_id") ?? "") ?? "";
        return [200, url.searchParams.get("suffix") === "out" ? output : ""];
      }
    }
    return [404, "404: Not Found"];
  }

  #deploy(documents: Application["document"][]): void {
    const listed = new Set(documents.map(({ name }) => name));
    for (const name of this.applications.keys())
      if (!listed.has(name)) this.applications.delete(name);
    for (const document of documents) {
      if (this.applications.has(document.name)) continue;
      const fresh = { document, status: "DEPLOYING", message: "", replica: undefined };
      this.applications.set(document.name, fresh);
    }
  }
}

function describe([name, { document, status, message, replica }]: [string, Application]) {
  const deployment = { message, replicas: replica === undefined ? [] : [replica] };
  const deployments = { replica: deployment };
  return [name, { status, message: "", deployed_app_config: document, deployments }];
}
