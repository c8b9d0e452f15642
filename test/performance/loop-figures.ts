// Time of `/api/version` during one large request, whose work on the server's main thread delays all
// other requests.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { createRandom } from "./random.ts";
import type { Figure } from "./report.ts";
import { type ServerSettings, startOurs } from "./server-process.ts";

const repeats = 5;
const pauseMs = 2;
const longestHoldMs = 50;
const mebibyte = 2 ** 20;
const question = { model: "tiny", stream: false, options: { num_predict: 1 } };

interface Load {
  label: string;
  path: string;
  body: Buffer;
  /** No limit, as a body has to be parsed. */
  isParsing?: true;
}

interface Look {
  waitedMs: number;
  /** CPU time of the server's main thread, which excludes other programs. */
  heldMs: number;
}

/** @param settings the model in them is `tiny` */
export async function measureLoop(settings: ServerSettings): Promise<Figure[]> {
  const server = await startOurs(settings);
  const place = { url: `http://127.0.0.1:${server.port}`, processId: server.processGroup };
  const figures: Figure[] = [];
  try {
    for (const load of await makeLoads(settings.modelPath)) {
      figures.push(...figuresOf(load, await lookBeside(place, load)));
    }
  } finally {
    await server.stop();
  }
  return figures;
}

function figuresOf({ label, isParsing }: Load, looks: readonly Look[]): Figure[] {
  const waited = looks.map(({ waitedMs }) => waitedMs).sort((one, other) => one - other);
  const p99 = waited[Math.ceil(waited.length * 0.99) - 1] ?? Number.NaN;
  const longest = Math.max(...looks.map(({ heldMs }) => heldMs));
  const target = { bound: "below", value: longestHoldMs } as const;
  return [
    { label: `/api/version beside ${label}, p99`, unit: "ms", samples: [p99] },
    {
      label: "the server's thread, held by it at most",
      unit: "ms",
      samples: [longest],
      ...(isParsing !== true && { target }),
    },
  ];
}

/** Probes repeatedly while the load is sent and answered, several times. */
async function lookBeside(
  { url, processId }: { url: string; processId: number },
  { path, body }: Load,
): Promise<Look[]> {
  const looks: Look[] = [];
  // A new connection would take several turns of the server's loop.
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let repeat = 0; repeat <= repeats; repeat += 1) {
    let isAnswered = false;
    const answered = send(url + path, "POST", body)
      .catch(() => {}) // an upload of a known file is cut short
      .finally(() => {
        isAnswered = true;
      });
    while (!isAnswered) {
      const [started, computed] = [performance.now(), computedMs(processId)];
      await send(`${url}/api/version`, "GET", undefined, kept);
      const look = {
        waitedMs: performance.now() - started,
        heldMs: computedMs(processId) - computed,
      };
      // The first time includes loading and compiling code.
      if (repeat > 0) looks.push(look);
      await sleep(pauseMs);
    }
    await answered;
  }
  kept.destroy();
  return looks;
}

/** Returns the CPU time of a process's main thread; the time of day where it is unknown. */
function computedMs(processId: number): number {
  try {
    const text = readFileSync(`/proc/${processId}/task/${processId}/schedstat`, "utf8");
    return Number(text.split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** Resolves after the whole response, whatever its status: refusals take time too. */
async function send(url: string, method: string, body?: Buffer, agent?: Agent): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const outgoing = request(url, { method, agent: agent ?? false }, (reply) => {
      reply.resume();
      reply.once("end", resolve);
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

async function makeLoads(modelPath: string): Promise<Load[]> {
  const words = Array.from({ length: 2000 }, (_, index) => `value number ${index}`);
  const format = (schema: object) => json({ ...question, prompt: "Hi", format: schema });
  const template = `${"{{ if .System }}a{{ end }}".repeat(2500)}{{ .Prompt }}`.padEnd(65_536, "x");
  const file = Buffer.alloc(256 * mebibyte);
  const digest = `sha256:${createHash("sha256").update(file).digest("hex")}`;
  return [
    {
      label: "a template of 64 KiB",
      path: "/api/generate",
      body: json({ ...question, prompt: "Hi", template }),
    },
    {
      label: "a large pattern",
      path: "/api/generate",
      body: format({ type: "string", pattern: `^(${words.slice(0, 500).join("|")})$` }),
    },
    {
      label: "an enum of 2,000 values",
      path: "/api/generate",
      body: format({ type: "string", enum: words }),
    },
    {
      label: "1 MB to tokenize",
      path: "/api/tokenize",
      body: json({ model: "tiny", content: "words and more words ".repeat(50_000) }),
    },
    { label: "an upload of 256 MiB", path: `/api/blobs/${digest}`, body: file },
    {
      label: "a model made of a file",
      path: "/api/create",
      body: json({ model: "made", from: modelPath, stream: false }),
    },
    {
      label: "10 MB of JSON",
      path: "/api/chat",
      body: json({ ...question, messages: conversationOf(10 * mebibyte) }),
      isParsing: true,
    },
    {
      label: "a body with 10 MB of images",
      path: "/api/chat",
      body: json({
        ...question,
        ...{ model: "tiny-vision" },
        messages: [{ role: "user", content: "What is this?", images: [await pictureOf()] }],
      }),
      isParsing: true,
    },
  ];
}

function conversationOf(characters: number): object[] {
  const content = "words and more words ".repeat(50);
  const role = (index: number) => (index % 2 === 0 ? "user" : "assistant");
  return Array.from({ length: Math.floor(characters / content.length) }, (_, index) => ({
    role: role(index),
    content,
  }));
}

/** Returns noise, which no image format can compress. */
async function pictureOf(): Promise<string> {
  const side = 1600;
  const random = createRandom(1);
  const pixels = Buffer.from(Uint8Array.from({ length: side * side * 3 }, () => random() & 255));
  const raw = { width: side, height: side, channels: 3 } as const;
  return (await sharp(pixels, { raw }).png().toBuffer()).toString("base64");
}

function json(body: object): Buffer {
  return Buffer.from(JSON.stringify(body));
}
