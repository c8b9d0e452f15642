// Repeated kill -9 of the gateway, the control plane, the whole server or a replica while requests are
// submitted and run: no accepted request is lost, and none runs more often than it may.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isProof } from "../../support/proof.ts";
import { until } from "../../support/until.ts";
import {
  clearFolder,
  clientOf,
  deployTo,
  fakeDeployment,
  killControlPlane,
  killGateway,
  killServer,
  makeFolder,
  startServer,
} from "../support/real-server.ts";

const rounds = isProof ? 40 : 4;
const requestsPerRound = isProof ? 12 : 6;

/** Notes each request before and after it works on it, in one write each. */
const script = `
import json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

def serve():
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_GET(self):
            self.reply({})
        def do_POST(self):
            question = json.loads(self.rfile.read(int(self.headers["content-length"])))
            note(question["name"])
            time.sleep(question["seconds"])
            self.reply({"name": question["name"]})
        def reply(self, document):
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def log_message(self, *_):
            pass
    def note(name):
        file = os.open(os.environ["NOTES"], os.O_WRONLY | os.O_APPEND)
        os.write(file, (name + "\\n").encode())
        os.close(file)
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`;

interface Submitted {
  name: string;
  id: string;
  isRepeatable: boolean;
}

let folder: string;
let baseUrl: string;
let notes: string;
beforeEach(async () => {
  folder = makeFolder();
  notes = path.join(folder, "notes");
  appendFileSync(notes, "");
  ({ baseUrl } = await startServer(folder));
  const request = fakeDeployment("", { scale: { minConcurrency: 1, maxMultiplexing: 3 } });
  const files = [{ path: "app.py", contentBase64: btoa(script), isExecutable: false }];
  const { config } = request;
  const environment = { ...config.environment, NOTES: notes };
  const deployed = await deployTo(clientOf(folder), {
    ...request,
    bundle: { ...request.bundle, files },
    config: { ...config, environment },
  });
  expect(deployed).toMatchObject({ kind: "done" });
});
afterEach(async () => {
  if (!existsSync(folder)) return;
  await killServer(folder);
  await clearFolder(folder);
});

/** Tries again while no gateway listens; the key makes that one request. */
async function submit(name: string, seconds: number, isRepeatable: boolean): Promise<Submitted> {
  const reply = await until(
    async () =>
      await fetch(`${baseUrl}/queue/local/chat`, {
        method: "POST",
        headers: { "idempotency-key": name, ...(isRepeatable && { "x-dctl-retry": "1" }) },
        body: JSON.stringify({ name, seconds }),
      })
        .then(async (it) => ({ status: it.status, text: await it.text() }))
        .catch(() => undefined),
    (it) => it?.status === 200,
    60_000,
  );
  const { request_id: id } = JSON.parse(reply?.text ?? "") as { request_id: string };
  return { name, id, isRepeatable };
}

async function outcomeOf({ id }: Submitted): Promise<{ status: number; document: unknown }> {
  const url = `${baseUrl}/queue/local/chat/requests/${id}`;
  const done = await until(
    async () =>
      await fetch(url)
        .then(async (it) => ({ status: it.status, document: (await it.json()) as unknown }))
        .catch(() => undefined),
    (it) => it !== undefined && !JSON.stringify(it.document).includes("request_in_progress"),
    60_000,
  );
  return done ?? { status: 0, document: undefined };
}

const victims = {
  gateway: async () => await killGateway(folder),
  "control plane": async () => await killControlPlane(folder),
  replica: async () => {
    const replicas = await clientOf(folder).replicas("chat");
    const living = replicas.find(({ state }) => state !== "TERMINATED");
    if (living?.processId !== undefined) process.kill(living.processId, "SIGKILL");
  },
  server: async () => {
    const { port } = new URL(baseUrl);
    await killServer(folder);
    ({ baseUrl } = await startServer(folder, { port: Number(port) }));
  },
};

it(`${rounds} kills lose no request and run none too often`, async () => {
  const all: Submitted[] = [];
  const unclear: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const submitting = Array.from({ length: requestsPerRound }, async (_, number) => {
      await wait(number * 20);
      return await submit(`${round}-${number}`, (number % 3) / 10, number % 2 === 0);
    });
    await wait((round * 37) % 300);
    const kill = Object.values(victims)[round % 4];
    await kill?.();
    all.push(...(await Promise.all(submitting)));
  }
  for (const request of all) {
    const { status, document } = await outcomeOf(request);
    const ran = readFileSync(notes, "utf8")
      .split("\n")
      .filter((name) => name === request.name);
    expect(ran.length, request.name).toBeLessThanOrEqual(request.isRepeatable ? 2 : 1);
    if (status === 200) {
      expect(document, request.name).toEqual({ name: request.name });
      expect(ran.length, request.name).toBeGreaterThan(0);
    } else {
      expect([status, document], request.name).toMatchObject([
        503,
        { error_type: "runner_disconnected" },
      ]);
      unclear.push(request.name);
    }
  }
  // Only requests that a kill has hit end without a result.
  expect(unclear.length).toBeLessThan(all.length / 2);
}, 600_000);
