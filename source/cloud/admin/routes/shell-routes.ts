// Routes of shells next to replicas, and of connections to their ports. Both give the permissions of the
// server's user, so that other machines need a setting besides a key, and each use is recorded.
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Check } from "typebox/schema";
import { formatRoughDuration } from "../../../base/formats.ts";
import { parseJson } from "../../../base/json.ts";
import { linesOf } from "../../../base/lines.ts";
import { ProductError } from "../../../base/product-error.ts";
import type { ReplicaShell } from "../../engines/engine.ts";
import { cloudErrors } from "../../errors.ts";
import { appName } from "../../state/app-records.ts";
import type { ReplicaRecord } from "../../state/replica-records.ts";
import { accessOf, callerOf } from "../access.ts";
import type { ShellEvent } from "../documents.ts";
import { ForwardQuery, ShellInput, ShellQuery } from "../schemas.ts";
import type { AdminServices } from "../services.ts";
import { streamDocuments } from "../stream-documents.ts";

interface Named {
  Params: { replica: string };
}

const largestPort = 65_535;

export function registerShells(server: FastifyInstance, services: AdminServices): void {
  const { engine, log } = services;
  // Leaves the body to the route, which reads it while it replies.
  server.addContentTypeParser("application/octet-stream", (_request, payload, done) => {
    done(null, payload);
  });
  server.post<Named & { Querystring: ShellQuery }>(
    "/replicas/:replica/shell",
    { schema: { querystring: ShellQuery } },
    async (request, reply) => {
      const { rows, columns, type } = request.query;
      const replica = replicaFor(request, services);
      const terminal = { rows: Number(rows), columns: Number(columns), type };
      return await streamDocuments(reply, log, async (signal) => {
        const shell = await engine.openShell(replica.replica, terminal);
        const startedAt = performance.now();
        record(services, replica, "shell_opened", `shell opened by ${userOf(request)}`);
        void shell.ended.then(({ code }) => {
          const time = formatRoughDuration(performance.now() - startedAt);
          record(services, replica, "shell_closed", `shell closed after ${time} (exit ${code})`);
        });
        signal.addEventListener("abort", () => shell.hangUp());
        if (signal.aborted) shell.hangUp();
        void passInput(request.raw, shell);
        return eventsOf(shell);
      });
    },
  );
  const recorded = new Set<string>();
  server.post<Named & { Querystring: ForwardQuery }>(
    "/replicas/:replica/forward",
    { schema: { querystring: ForwardQuery } },
    async (request, reply) => {
      const replica = replicaFor(request, services);
      const port = portIn(request.query);
      const socket = await engine.connect(replica.replica, port);
      const sentence = `port ${port} forwarded to ${userOf(request)}`;
      // A page opens several connections.
      if (!recorded.has(replica.replica + sentence)) {
        recorded.add(replica.replica + sentence);
        record(services, replica, "port_forwarded", sentence);
      }
      const { raw } = reply.hijack();
      raw.writeHead(200, { "content-type": "application/octet-stream" });
      raw.flushHeaders();
      // The response may end before the body, so that only the end of both ends the connection.
      const connection = request.raw.socket;
      const end = () => void socket.destroy();
      if (connection.destroyed) end();
      connection.once("close", end);
      socket.once("close", () => connection.off("close", end));
      socket.once("error", () => raw.destroy());
      request.raw.pipe(socket).pipe(raw);
      return reply;
    },
  );
}

async function* eventsOf(shell: ReplicaShell): AsyncGenerator<ShellEvent> {
  for await (const piece of shell.output) {
    yield { kind: "output", base64: Buffer.from(piece).toString("base64") };
  }
  yield { kind: "ended", ...(await shell.ended) };
}

/** Hangs up at the end of the body, and at a line that is none of ours. */
async function passInput(body: Readable, shell: ReplicaShell): Promise<void> {
  try {
    for await (const line of linesOf(body)) {
      const input = parseJson(line);
      if (!Check(ShellInput, input)) break;
      if (!("keysBase64" in input)) shell.resize(input);
      else if (!shell.input.write(Buffer.from(input.keysBase64, "base64"))) {
        await Promise.race([once(shell.input, "drain"), shell.ended]);
      }
    }
  } catch {
    // The connection is gone.
  }
  shell.hangUp();
}

/** @throws ProductError `CLOUD_REPLICA_UNKNOWN`, `CLOUD_KEY_TOO_WEAK`, `CLOUD_REMOTE_SHELL_OFF` */
function replicaFor(request: FastifyRequest<Named>, services: AdminServices): ReplicaRecord {
  const access = accessOf(request, services);
  const { replica } = request.params;
  const record = services.store.replicas.find(replica);
  if (record === undefined || record.stage === "ended" || !access.covers(record)) {
    const isEnded = record !== undefined && access.covers(record);
    throw new ProductError(cloudErrors.replicaUnknown, {
      message: `Runner ${replica} ${isEnded ? "has ended" : "does not exist"}.`,
      hint: "Run `deployctl runners list` to see the running ones.",
    });
  }
  // The operating system does not separate organisations.
  access.requireServerAccess();
  if (callerOf(request.raw) === undefined || services.allowsRemoteShell) return record;
  throw new ProductError(cloudErrors.remoteShellOff, {
    message: "This server opens no shells and forwards no ports for other machines.",
    hint: "Run deployctl on the server's machine, or start the server with --remote-shell on.",
  });
}

function portIn({ port }: ForwardQuery): number {
  if (Number(port) <= largestPort) return Number(port);
  throw new ProductError(cloudErrors.requestInvalid, {
    message: `${port} is not a port.`,
    hint: `Ports go up to ${largestPort}.`,
  });
}

function userOf({ raw }: FastifyRequest): string {
  const caller = callerOf(raw);
  if (caller === undefined) return "a user of the server's machine";
  return `key ${caller.keyId} from ${raw.socket.remoteAddress ?? "an unknown address"}`;
}

function record(
  { store, log }: AdminServices,
  replica: ReplicaRecord,
  kind: string,
  sentence: string,
): void {
  const { organisation, app, revision, replica: id } = replica;
  const whole = `${appName(replica)}: replica ${id}: ${sentence}.`;
  log(whole);
  store.events.add({ organisation, app, revision, replica: id, kind, sentence: whole });
}
