// A server in the test's own process, on a free port, with what it logs and tells about itself.
import {
  type HostedServer,
  type HostOptions,
  hostServer,
} from "../../source/application/local-server/server-host.ts";
import { loadSettings } from "../../source/configuration/load-settings.ts";
import type { Settings } from "../../source/configuration/settings.ts";
import type { RequestRecord } from "../../source/request-log/request-record.ts";
import { until } from "./until.ts";

/** An entry of `GET /api/ps`, as far as tests look at it. */
export interface LoadedEntry {
  name: string;
  /** All of the runner. */
  names: string[];
  state: string;
  expires_at: string;
  context_length: number;
  process_id: number;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
}

export class TestServer {
  readonly url: string;
  readonly hosted: HostedServer;
  readonly log: readonly string[];

  private constructor(hosted: HostedServer, log: readonly string[]) {
    this.url = hosted.url;
    this.hosted = hosted;
    this.log = log;
  }

  /**
   * @param changes settings that differ from the defaults
   * @param more further options of the server, such as its keys
   */
  static async start(
    changes: Partial<Settings> = {},
    more: Partial<HostOptions> = {},
  ): Promise<TestServer> {
    const log: string[] = [];
    const hosted = await hostServer({
      settings: { ...loadSettings({}).values, gpu: "cpu", ...changes },
      stateFolder: undefined,
      address: { host: "127.0.0.1", port: 0, scheme: "http", path: "" },
      log: (text) => log.push(text),
      ...more,
    });
    return new TestServer(hosted, log);
  }

  async close(): Promise<void> {
    await this.hosted.close();
  }

  async send(path: string, init: RequestInit = {}): Promise<Reply> {
    const reply = await fetch(this.url + path, init);
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, text, json: parse(text) };
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return await this.send(path, { method: "POST", body: text, headers });
  }

  /** A greedy answer over the native API, for checking that the server still works. */
  async ask(prompt: string, model = "tiny"): Promise<string> {
    const options = { temperature: 0 };
    const { json, text } = await this.post("/api/generate", {
      model,
      prompt,
      stream: false,
      options,
    });
    const { response } = json as { response?: string };
    if (response === undefined) throw new Error(`no answer: ${text}`);
    return response;
  }

  async loaded(): Promise<LoadedEntry[]> {
    const { json } = await this.send("/api/ps");
    return (json as { models: LoadedEntry[] }).models;
  }

  /** The process of a loaded model, which is named as in the list. */
  async runnerOf(name = "tiny:latest"): Promise<number> {
    const entry = (await this.loaded()).find(({ names }) => names.includes(name));
    if (entry === undefined) throw new Error(`${name} is not loaded`);
    return entry.process_id;
  }

  async killRunner(model = "tiny"): Promise<void> {
    process.kill(await this.runnerOf(`${model}:latest`), "SIGKILL");
  }

  /** The request log, oldest first. */
  async requests(): Promise<RequestRecord[]> {
    const { json } = await this.send("/api/requests");
    return (json as { requests: RequestRecord[] }).requests;
  }

  /** Resolves when no request runs and no model is in use. */
  async untilQuiet(): Promise<void> {
    await until(
      async () => ({ loaded: await this.loaded(), running: this.hosted.requestLog.running }),
      ({ loaded, running }) =>
        running.length === 0 && loaded.every(({ state }) => state === "idle"),
    );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
