// Gateway, queue and replicas in the test's process, connected by their real sockets.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { LogLine } from "../../../source/cloud/engines/engine.ts";
import type { RoutedApp } from "../../../source/cloud/gateway/traffic.ts";
import type { CloudKey } from "../../../source/cloud/keys/cloud-key.ts";
import { defaultQueueLimits, type QueueLimits } from "../../../source/cloud/queue/queue-limits.ts";
import { QueueServer } from "../../../source/cloud/queue/queue-server.ts";
import { RequestQueue } from "../../../source/cloud/queue/request-queue.ts";
import { cloudKey, keysBy, routedApp } from "../../support/cloud-documents.ts";
import { TestGateway } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

export interface Status {
  status: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED";
  request_id: string;
  queue_position?: number;
  logs: unknown[] | null;
  error?: string;
  error_type?: string;
}

export const testKeys: Record<string, CloudKey> = {
  ours: cloudKey({ id: "ourskeyourke" }),
  theirs: cloudKey({ id: "theirskeythe", organisation: "other" }),
};

export class TestQueue {
  readonly folder = mkdtempSync(path.join(tmpdir(), "deployctl-queue-"));
  readonly limits: QueueLimits;
  readonly log: string[] = [];
  readonly logs: LogLine[] = [];
  /** Number of requests that the app's replicas take at a time. */
  slots = 1;
  #gateway: TestGateway | undefined;
  #queue: RequestQueue | undefined;
  #server: QueueServer | undefined;

  constructor(limits: Partial<QueueLimits> = {}) {
    this.limits = { ...defaultQueueLimits, ...limits };
  }

  static async start(limits: Partial<QueueLimits> = {}): Promise<TestQueue> {
    const test = new TestQueue(limits);
    await test.startGateway();
    await test.startQueue();
    return test;
  }

  get gateway(): TestGateway {
    if (this.#gateway === undefined) throw new Error("no gateway runs");
    return this.#gateway;
  }

  get queue(): RequestQueue {
    if (this.#queue === undefined) throw new Error("no queue runs");
    return this.#queue;
  }

  async startGateway(): Promise<void> {
    this.#gateway = await TestGateway.start({
      keys: keysBy(testKeys),
      queue: {
        controlPlaneSocket: path.join(this.folder, "queue.sock"),
        runsSocket: path.join(this.folder, "runs.sock"),
        limits: this.limits,
      },
    });
  }

  async startQueue(): Promise<void> {
    const { folder: stateFolder, limits } = this;
    const log = (text: string) => this.log.push(text);
    this.#queue = new RequestQueue({
      ...{ stateFolder, limits, log },
      runsSocket: path.join(stateFolder, "runs.sock"),
      openSlots: () => this.slots,
      findKey: (id) => Object.values(testKeys).find((key) => key.id === id),
      onDemand: () => {},
    });
    const lines = this.logs;
    const engine = {
      async *logs() {
        yield* lines;
      },
    };
    this.#server = new QueueServer({ queue: this.#queue, engine, log });
    await this.#server.listen(path.join(stateFolder, "queue.sock"));
    this.#queue.start();
  }

  async stopQueue(): Promise<void> {
    await this.#server?.close();
    this.#queue?.stopSending();
    await this.#queue?.close();
    this.#queue = undefined;
  }

  serve(changes: Partial<RoutedApp> = {}): void {
    const { replica } = this.gateway;
    this.gateway.gateway.table.publish([routedApp({ replicas: [replica.routed()], ...changes })]);
  }

  async ask(
    method: string,
    target: string,
    {
      key,
      body,
      headers = {},
    }: { key?: string; body?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const authorization = key === undefined ? {} : { authorization: `Key ${key}` };
    return await fetch(`${this.gateway.url}${target}`, {
      method,
      headers: { ...authorization, ...headers },
      body: body ?? null,
    });
  }

  /** @returns the request's id */
  async submit(
    body: unknown,
    options: { key?: string; headers?: Record<string, string>; path?: string } = {},
  ): Promise<string> {
    const { path: rest = "", ...more } = options;
    const text = JSON.stringify(body);
    const reply = await this.ask("POST", `/queue/acme/chat${rest}`, { ...more, body: text });
    const document = (await reply.json()) as { request_id: string };
    if (reply.status !== 200) throw new Error(JSON.stringify(document));
    return document.request_id;
  }

  async status(id: string, key?: string): Promise<Status> {
    const options = key === undefined ? {} : { key };
    const reply = await this.ask("GET", `/queue/acme/chat/requests/${id}/status?logs=1`, options);
    return (await reply.json()) as Status;
  }

  async completed(id: string): Promise<Status> {
    return await until(
      () => this.status(id),
      ({ status }) => status === "COMPLETED",
    );
  }

  async result(id: string): Promise<{ status: number; document: Record<string, unknown> }> {
    await this.completed(id);
    const reply = await this.ask("GET", `/queue/acme/chat/requests/${id}`);
    return { status: reply.status, document: (await reply.json()) as Record<string, unknown> };
  }

  async close(): Promise<void> {
    this.queue.stopSending();
    await this.#gateway?.close();
    await this.stopQueue();
    await wait(0);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
