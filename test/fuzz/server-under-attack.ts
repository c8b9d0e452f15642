// Server for hostile requests, with checks of its responses and of what it leaves behind.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Settings } from "../../source/configuration/settings.ts";
import { processesOfHome } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { sizeOfOther } from "./process-size.ts";
import { isDocumented } from "./refusal.ts";
import type { ServerNews } from "./server-process.ts";
import type { ProcessSize } from "./target.ts";

const processFile = path.join(import.meta.dirname, "server-process.ts");
/** Errors that no request may cause. */
const defects = new Set(["UNEXPECTED", "ENGINE_RUNNER_CRASHED", "ENGINE_DECODE_FAILED"]);

export interface ServerReply {
  status: number;
  text: string;
}

export class ServerUnderAttack {
  readonly url: string;
  /** Folder with the server's home, store and files. */
  readonly folder: string;
  readonly processId: number;
  readonly log: string[] = [];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, folder: string, url: string) {
    this.#child = child;
    this.folder = folder;
    this.url = url;
    this.processId = child.pid ?? 0;
    child.on("message", (news: ServerNews) => {
      if ("log" in news) this.log.push(news.log);
    });
  }

  /**
   * @param folder of an earlier server; by default a new one
   * @param settings besides the defaults for all servers under attack
   */
  static async start(
    folder = mkdtempSync(path.join(tmpdir(), "modelctl-fuzz-")),
    settings: Partial<Settings> = {},
  ): Promise<ServerUnderAttack> {
    mkdirSync(path.join(folder, "files"), { recursive: true });
    const { PATH = "", NODE_COMPILE_CACHE = path.join(folder, "compiled") } = process.env;
    const env = { PATH, HOME: folder, NODE_COMPILE_CACHE };
    const child = fork(processFile, [folder, JSON.stringify(settings)], { env, silent: true });
    const [news] = await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => Promise.reject(new Error("the server did not start"))),
    ]);
    return new ServerUnderAttack(child, folder, String(Object(news).url));
  }

  /** @param body JSON, or text sent unchanged. @throws Error for an unacceptable response */
  async send(
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ServerReply> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const reply = await fetch(this.url + target, {
      method,
      headers,
      ...(body !== undefined && { body: text }),
    });
    const answer = { status: reply.status, text: await reply.text() };
    checkReply(answer);
    return answer;
  }

  /** @throws Error when the server has exited or does not respond */
  async checkIsWell(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) {
      throw new Error(`the server has ended: ${signalCode ?? exitCode}`);
    }
    await this.send("GET", "/api/version");
  }

  size(): ProcessSize {
    return sizeOfOther(this.processId);
  }

  /** Kills it at once. */
  async kill(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  /** Stops the server. @throws Error when one of its processes is left */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.checkNothingRuns();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @throws Error */
  async checkNothingRuns(): Promise<void> {
    await until(
      () => processesOfHome(this.folder),
      (found) => found.length === 0,
    );
  }
}

/** @throws Error for a status or a code of a defect */
export function checkReply({ status, text }: ServerReply): void {
  const codes = [...text.matchAll(/"(?:error_)?code":"([A-Z_]+)"/g)].map(([, code]) => code ?? "");
  const defect = codes.find((code) => defects.has(code));
  const isUnnamed = status >= 500 && !codes.some(isDocumented);
  if (defect === undefined && !isUnnamed) return;
  throw new Error(`the reply has ${status}: ${text.slice(0, 500)}`);
}
