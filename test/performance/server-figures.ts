// Overhead of our server over its engine, and its throughput for small requests.

import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { startLoadMeter } from "./machine-load.ts";
import { measureEightStreams } from "./measurements.ts";
import { createPromptSource } from "./prompts.ts";
import type { Figure } from "./report.ts";
import { startRunnerClient } from "./runner-client.ts";
import { type RunningServer, type ServerSettings, startOurs } from "./server-process.ts";

const connections = 32;
const attackSeconds = 5;
/** Processor use by other programs, in cores, up to which the machine counts as idle. */
const calmCores = 0.1;
const program = createRequire(import.meta.url).resolve("autocannon");

/** Loads the server and the bare engine at the same time and alternates between them. */
export async function measureServer(settings: ServerSettings, rounds: number): Promise<Figure[]> {
  const server = await startOurs(settings);
  try {
    return [await measureModelList(server), ...(await measureOverhead(server, settings, rounds))];
  } finally {
    await server.stop();
  }
}

async function measureModelList({ port }: RunningServer): Promise<Figure> {
  const url = `http://127.0.0.1:${port}/v1/models`;
  const samples: number[] = [];
  for (let run = 0; run < 3; run++) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, "--json", "-c", `${connections}`, "-d", `${attackSeconds}`, url],
      { maxBuffer: 2 ** 24 },
    );
    const report = JSON.parse(stdout) as {
      requests: { average: number; total: number };
      "2xx": number;
    };
    if (report["2xx"] !== report.requests.total)
      throw new Error(`${url} failed under load: ${stdout}`);
    samples.push(report.requests.average);
  }
  const label = `GET /v1/models, ${connections} connections`;
  return { label, unit: "req/s", samples, target: { bound: "at least", value: 5000 } };
}

async function measureOverhead(
  { client, processGroup }: RunningServer,
  settings: ServerSettings,
  rounds: number,
): Promise<Figure[]> {
  const engine = await startRunnerClient(settings);
  const others: number[] = [];
  const rates: Record<"server" | "engine", number[]> = { server: [], engine: [] };
  const contestants = [
    { name: "server", client },
    { name: "engine", client: engine },
  ] as const;
  try {
    for (const { client } of contestants) await client.chat(createPromptSource(0).chat(16), 8);
    for (let round = 0; round < rounds; round++) {
      const work: number[] = [];
      for (const { name, client } of round % 2 === 0 ? contestants : contestants.toReversed()) {
        const readLoad = startLoadMeter([processGroup]);
        const { values, chats } = await measureEightStreams(client, createPromptSource(round + 1));
        // Measured in the server's turn only, as the bare engine has no separate process group.
        if (name === "server") others.push(readLoad());
        rates[name].push(values.aggregate8 ?? Number.NaN);
        work.push(chats.reduce((sum, chat) => sum + chat.promptTokens + chat.completionTokens, 0));
      }
      // Unequal work would make the figure meaningless.
      if (work[0] !== work[1]) throw new Error(`unequal work: ${work.join(" and ")} tokens`);
    }
  } finally {
    await engine.stop();
  }
  const overheads = rates.server.map((rate, round) => {
    return 100 * (1 - rate / (rates.engine[round] ?? Number.NaN));
  });
  // No verdict under other load, which would cause the difference.
  const isCalm = Math.max(...others) <= calmCores;
  return [
    { label: "all tokens, 8 streams, server", unit: "tok/s", samples: rates.server },
    { label: "all tokens, 8 streams, bare engine", unit: "tok/s", samples: rates.engine },
    { label: "others, while the server answers", unit: "cores", samples: others },
    {
      label: isCalm ? "overhead of the server" : "overhead of the server (DISTURBED)",
      unit: "%",
      samples: overheads,
      ...(isCalm && { target: { bound: "below", value: 3 } as const }),
    },
  ];
}
