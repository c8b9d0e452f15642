// Shared set-up of the download tests: a hub, a store in its own folder, short timeouts.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import {
  type FetchedModel,
  fetchModel,
  type HubReference,
  type ModelFetch,
} from "../../../source/store/hub/fetch-model.ts";
import type { HubProgress } from "../../../source/store/hub/hub-progress.ts";
import { type HubSettings, readHubSettings } from "../../../source/store/hub/hub-settings.ts";
import { ModelStore } from "../../../source/store/library/model-store.ts";
import {
  type LoopbackHub,
  type LoopbackHubOptions,
  startLoopbackHub,
} from "../../support/loopback-hub.ts";

export async function openHub(options: LoopbackHubOptions): Promise<LoopbackHub> {
  const hub = await startLoopbackHub(options);
  onTestFinished(() => hub.close());
  return hub;
}

export function newFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(path.join(parent, "modelctl-hub-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Settings of a person whose environment holds only this. */
export async function settingsFor(
  hub: { url: string },
  environment: NodeJS.ProcessEnv = {},
): Promise<HubSettings> {
  return await readHubSettings({ HOME: "/nonexistent", HF_ENDPOINT: hub.url, ...environment });
}

/** Waits that a test can stand, parts that small files are cut into. */
export const quick = {
  connection: {
    stallTimeoutMs: 10_000,
    retryPolicy: { tries: 3, firstDelayMs: 1, longestDelayMs: 10 },
  },
  tuning: {
    partSizes: { connections: 4, smallestBytes: 64 * 1024, largestBytes: 1024 ** 2 },
    noteIntervalMs: 20,
  },
};

/** For a server that falls silent. */
export const impatient = { ...quick.connection, stallTimeoutMs: 400 };

export interface Pull {
  model: FetchedModel;
  progress: HubProgress[];
}

/** Pulls `owner/name` into the folder, checks what is stored, and keeps every progress report. */
export async function pull(
  hub: LoopbackHub,
  folder: string,
  options: Partial<ModelFetch> & { reference?: Partial<HubReference>; seen?: HubProgress[] } = {},
): Promise<Pull> {
  const { reference, seen: progress = [], ...request } = options;
  const model = await fetchModel(
    { owner: "owner", repo: "name", ...reference },
    {
      blobs: new ModelStore(folder),
      settings: await settingsFor(hub),
      onProgress: (report) => progress.push(report),
      ...quick,
      ...request,
    },
  );
  for (const { blobPath, digest } of model.files) expect(hashOf(blobPath)).toBe(digest);
  return { model, progress };
}

const script = path.join(import.meta.dirname, "pull-process.ts");

/** Pulls `owner/name` in a separate process, which is killed at the end of the test. */
export function startPull(hub: LoopbackHub, folder: string) {
  const child = spawn(process.execPath, [script, hub.url, folder], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, HOME: "/nonexistent" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A hub with one model of so many bytes. */
export async function openHubWith(
  generatedBytes: number,
  options: Partial<LoopbackHubOptions> = {},
): Promise<LoopbackHub> {
  return await openHub({
    repositories: { "owner/name": { files: { "a-Q4_K_M.gguf": { generatedBytes } } } },
    ...options,
  });
}

export function hashOf(file: string): string {
  return `sha256:${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
}

/** Bytes that the file storage has sent so far. */
export function sentBytes(hub: LoopbackHub): number {
  return hub.requests.reduce((sum, request) => sum + request.sentBytes, 0);
}

/** Details of reports, without those of the verification. */
export function sentences(progress: readonly HubProgress[]): string[] {
  return progress.flatMap(({ state, detail }) =>
    state === "verifying" || detail === undefined ? [] : [detail],
  );
}
