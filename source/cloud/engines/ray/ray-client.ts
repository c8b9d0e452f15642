// Client of a Ray cluster's REST API: version, Serve applications, packages, nodes and logs.
import type { RequestOptions } from "node:http";
import type { Static, TSchema } from "typebox";
import { Check } from "typebox/schema";
import { parseJson } from "../../../base/json.ts";
import { http, loadHttps } from "../../../base/node-http.ts";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { systemCode } from "../../../base/write-refusal.ts";
import { cloudErrors } from "../../errors.ts";
import {
  jobOutputSchema,
  jobSchema,
  nodesOf,
  nodesSchema,
  type RayJob,
  type RayNode,
  type RayVersion,
  type ServeDeployment,
  type ServeState,
  serveSchema,
  versionSchema,
} from "./ray-documents.ts";

export interface RayClientOptions {
  /** Address of the dashboard: `http://10.0.0.5:8265`. */
  address: string;
  /** Returns the token; called for each request, so that it may change. */
  readToken: () => string;
}

interface Question {
  method?: "GET" | "PUT" | "POST" | "DELETE";
  path: string;
  body?: Buffer | string;
  /** False to learn if the cluster answers strangers. */
  hasToken?: boolean;
  limitMs?: number;
}

interface Answer {
  status: number;
  text: string;
}

const usualLimitMs = 30_000;
/** The first deployment starts Serve. */
const deployLimitMs = 180_000;
const uploadLimitMs = 600_000;
/** A node may be gone. */
const outputLimitMs = 5_000;
const shownCharacters = 300;
const unknownJobs = "describes its jobs in an unknown way";

export class RayClient {
  readonly address: string;
  readonly #readToken: () => string;

  constructor({ address, readToken }: RayClientOptions) {
    this.address = address.replace(/\/+$/, "");
    this.#readToken = readToken;
  }

  /** @returns status of an answer to a request without the token */
  async statusForStrangers(): Promise<number> {
    const { status } = await this.#send({ path: "/api/version", hasToken: false });
    return status;
  }

  /** @throws ProductError `CLOUD_RAY_UNSUPPORTED` if another program than Ray answers */
  async version(): Promise<RayVersion> {
    const problem = "is not the dashboard of a Ray cluster";
    const version = await this.#read(versionSchema, { path: "/api/version" }, problem);
    return { version: version.ray_version, session: version.session_name ?? "" };
  }

  /** Returns Serve's applications; none before Serve was started. */
  async serve(): Promise<ServeState> {
    const problem = "describes its applications in an unknown way";
    return await this.#read(serveSchema, { path: "/api/serve/applications/" }, problem);
  }

  /** Replaces all applications of the cluster: those that are not listed are deleted. */
  async deploy(deployment: ServeDeployment): Promise<void> {
    await this.#ask({
      method: "PUT",
      path: "/api/serve/applications/",
      body: JSON.stringify(deployment),
      limitMs: deployLimitMs,
    });
  }

  /** Uploads a package unless it is there, and keeps it for ten minutes until it is used. */
  async upload(name: string, zip: () => Buffer): Promise<void> {
    const path = `/api/packages/gcs/${name}`;
    if ((await this.#ask({ path }, [404])).status !== 404) return;
    await this.#ask({ method: "PUT", path, body: zip(), limitMs: uploadLimitMs });
    // Ray removes an unused package; asking for it adds a temporary reference.
    await this.#ask({ path });
  }

  /** Lists nodes that are alive, with what is in use of their resources. */
  async nodes(): Promise<RayNode[]> {
    const problem = "describes its nodes in an unknown way";
    const [list, usage] = await Promise.all([
      this.#read(nodesSchema, { path: "/api/v0/nodes?detail=true&limit=10000" }, problem),
      this.#ask({ path: "/nodes?view=summary" }),
    ]);
    return nodesOf(list, parseJson(usage.text));
  }

  /** @returns last lines of an actor's output; undefined if its node does not answer */
  async lastOutput(
    actor: string,
    stream: "stdout" | "stderr",
    lines: number,
  ): Promise<string | undefined> {
    const suffix = stream === "stdout" ? "out" : "err";
    const timeout = String(outputLimitMs / 1000);
    const wanted = { actor_id: actor, suffix, lines: String(lines), timeout };
    const path = `/api/v0/logs/file?${new URLSearchParams(wanted)}`;
    const { status, text } = await this.#ask({ path, limitMs: 2 * outputLimitMs }, [500]);
    return status === 500 ? undefined : text;
  }

  /** Starts a job in a package's folder, which takes no CPU. @returns its id */
  async startJob(entryPoint: string, packageName: string): Promise<string> {
    const body = JSON.stringify({
      entrypoint: entryPoint,
      entrypoint_num_cpus: 0,
      runtime_env: { working_dir: `gcs://${packageName}` },
    });
    const question = { method: "POST", path: "/api/jobs/", body } as const;
    return (await this.#read(jobSchema, question, unknownJobs)).submission_id;
  }

  async jobState(id: string): Promise<RayJob> {
    return await this.#read(jobSchema, { path: `/api/jobs/${id}` }, unknownJobs);
  }

  /** Returns what a job has printed. */
  async jobOutput(id: string): Promise<string> {
    const question = { path: `/api/jobs/${id}/logs` };
    return (await this.#read(jobOutputSchema, question, unknownJobs)).logs;
  }

  /** Removes a job that has ended, with its output. */
  async deleteJob(id: string): Promise<void> {
    await this.#ask({ method: "DELETE", path: `/api/jobs/${id}` });
  }

  /** @param problem end of the sentence about another answer */
  async #read<T extends TSchema>(schema: T, question: Question, problem: string) {
    const value = parseJson((await this.#ask(question)).text);
    if (Check(schema, value)) return value as Static<T>;
    throw this.#unsupported(problem);
  }

  /** @param expected statuses that are no errors, beside those of success */
  async #ask(question: Question, expected: readonly number[] = []): Promise<Answer> {
    const answer = await this.#send(question);
    const { status, text } = answer;
    if ((status >= 200 && status < 300) || expected.includes(status)) return answer;
    const shown = text.trim().slice(0, shownCharacters);
    if (status === 401 || status === 403) {
      throw new ProductError(cloudErrors.rayTokenRefused, {
        message: `The Ray cluster at ${this.address} refused the token`,
        hint: "Put the cluster's token (RAY_AUTH_TOKEN) into the token file.",
      });
    }
    if (status === 501) {
      throw new ProductError(cloudErrors.rayUnsupported, {
        message: `The head node of the Ray cluster at ${this.address} lacks Ray Serve: ${shown}`,
        hint: 'Run there: pip install "ray[serve]" jinja2, and start Ray again.',
      });
    }
    if (status === 400) {
      throw new ProductError(cloudErrors.rayRefused, {
        message: `The Ray cluster refused a request: ${shown}`,
        hint: "Run deployctl doctor.",
      });
    }
    throw this.#unreachable(`answers with status ${status}: ${shown}`);
  }

  async #send(question: Question): Promise<Answer> {
    const { method = "GET", path, body, hasToken = true, limitMs = usualLimitMs } = question;
    const token = hasToken ? this.#readToken() : "";
    const headers: Record<string, string> = {
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(typeof body === "string" && { "content-type": "application/json" }),
    };
    const signal = AbortSignal.timeout(limitMs);
    try {
      // Ray may have closed an idle connection just as it is used again.
      const options = { method, headers, signal, agent: false as const };
      return await exchange(`${this.address}${path}`, options, body);
    } catch (error) {
      throw this.#unreachable(`does not answer (${reasonOf(error, signal)})`);
    }
  }

  #unreachable(problem: string): ProductError {
    return new ProductError(cloudErrors.rayUnreachable, {
      message: `The Ray cluster at ${this.address} ${problem}`,
      hint: "Check the address of its dashboard, and that the head node is running.",
    });
  }

  #unsupported(problem: string): ProductError {
    return new ProductError(cloudErrors.rayUnsupported, {
      message: `The server at ${this.address} ${problem}`,
      hint: "Use the address of Ray's dashboard, usually port 8265 of the head node.",
    });
  }
}

/** Ray refuses changes by browsers, for which it takes `fetch`. */
async function exchange(
  url: string,
  options: RequestOptions,
  body: Buffer | string | undefined,
): Promise<Answer> {
  const request = url.startsWith("https:") ? loadHttps().request : http.request;
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, options, (reply) => {
      let text = "";
      reply.setEncoding("utf8");
      reply.on("data", (piece: string) => {
        text += piece;
      });
      reply.once("error", reject);
      reply.once("end", () => resolve({ status: reply.statusCode ?? 0, text }));
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "no answer in time";
  const code = systemCode(error);
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ENOTFOUND") return "unknown host";
  return describeError(error);
}
