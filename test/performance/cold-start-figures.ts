// Time of the first request to a sleeping app, including the start of its replica. The replica's own
// server does nothing, so the figure measures deployctl.

import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { adminSocket, stopCloudServer } from "../../source/application/cloud-host/cloud-server.ts";
import { AdminClient } from "../../source/cloud/admin/admin-client.ts";
import { markEnvironment } from "./clean-up.ts";
import type { Figure } from "./report.ts";
import { findFreePort } from "./server-process.ts";

const rounds = 20;
const limitMs = 700;
const stopLimitMs = 20_000;
const app = "stub";
const program = resolve(import.meta.dirname, "../../dist/deployctl.js");

const script = `from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import deployctl


class Stub(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


@deployctl.app(port=8000, keep_alive=600)
def serve():
    ThreadingHTTPServer(("127.0.0.1", deployctl.port()), Stub).serve_forever()
`;

/** Entry point of the built program, as a user starts it. */
export async function measureColdStarts(
  temporaryFolder: string,
  progress: (line: string) => void,
): Promise<Figure[]> {
  progress(`cold start: a stub server, ${rounds} rounds`);
  const folder = join(temporaryFolder, "cold");
  const stateFolder = join(folder, "state");
  await mkdir(folder, { recursive: true });
  const file = join(folder, "stub.py");
  await writeFile(file, script);
  const client = new AdminClient({ socketPath: adminSocket(stateFolder) });
  const words = ["deploy", file, "--app-name", app, "--auth", "public", "--json"];
  const environment = {
    ...process.env,
    ...markEnvironment,
    XDG_CONFIG_HOME: folder,
    DEPLOYCTL_STATE_DIR: stateFolder,
    DEPLOYCTL_LISTEN: `127.0.0.1:${await findFreePort()}`,
  };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...words], {
      env: environment,
    });
    const { url } = JSON.parse(stdout) as { url: string };
    const samples: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await putToSleep(client);
      samples.push(await firstByteMs(`${url}/v1/models`));
    }
    return [
      figure("cold start of a stub server, request to first byte, p50", samples),
      figure("cold start of a stub server, request to first byte, p95", [percentile95(samples)]),
    ];
  } finally {
    await stopCloudServer(stateFolder, { drain: false, keepReplicas: false });
  }
}

function figure(label: string, samples: number[]): Figure {
  return { label, unit: "ms", samples, target: { bound: "below", value: limitMs } };
}

/** Returns the 95th percentile. */
function percentile95(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.ceil(samples.length * 0.95) - 1] ?? Number.NaN;
}

/** Resolves when the app's processes have exited. */
async function putToSleep(client: AdminClient): Promise<void> {
  const deadline = performance.now() + stopLimitMs;
  while (performance.now() < deadline) {
    const living = (await client.replicas(app)).filter(({ state }) => state !== "TERMINATED");
    if (living.length === 0) return;
    for (const { replica, state } of living) {
      if (state === "IDLE") await client.stopReplica(replica, { replace: false });
    }
    await sleep(20);
  }
  throw new Error(`${app} does not go to sleep`);
}

/** Sends a request over a new connection, like a first caller. */
async function firstByteMs(url: string): Promise<number> {
  const startedMs = performance.now();
  const reply = await new Promise<IncomingMessage>((done, failed) => {
    request(url, { agent: false }, done).once("error", failed).end();
  });
  const ms = performance.now() - startedMs;
  reply.resume();
  const isCold = reply.headers["x-dctl-cold-start"] === "1";
  if (reply.statusCode === 200 && isCold) return ms;
  throw new Error(`the first request got ${reply.statusCode}, cold: ${isCold}`);
}
