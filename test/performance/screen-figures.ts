// Cost of the full screen: frame time, processor, bytes, and the time from a key to its glyph, at
// 120x40 with an answer of 100 tokens a second and the live figures visible.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { measureConsole } from "./console-figures.ts";
import { measureDeployScreen } from "./deploy-figures.ts";
import type { Figure } from "./report.ts";
import { addressOf, startSampleServer } from "./sample-server.ts";
import type { ScreenCosts } from "./screen-process.ts";
import { columns, openProgram, openScreen, rows } from "./screen-terminal.ts";
import { commandPath, createHome, findFreePort } from "./server-process.ts";

const measuredSeconds = 8;
const waitLimitMs = 60_000;
/** Letters that occur in no answer, so that each is noticed when painted. */
const typedKeys = Array.from("ЖЩЮЭЯФЦШЧЪЫЬБДЗИЛПУ");
const openingRuns = 5;
const decodedTokens = 200;
/** Runs; the first one warms up. */
const decodingRounds = 6;

export interface ScreenSettings {
  readonly temporaryFolder: string;
  /** Model that decodes while the chat is visible. */
  readonly modelPath: string;
}

export async function measureScreen(
  { temporaryFolder, modelPath }: ScreenSettings,
  progress: (text: string) => void,
): Promise<Figure[]> {
  const server = await startSampleServer();
  try {
    const figures: Figure[] = [];
    for (const messages of [10, 10_000]) {
      progress(`screen: ${columns}x${rows}, ${messages} messages, 100 tokens a second`);
      figures.push(...(await measureStream(messages, temporaryFolder, addressOf(server))));
    }
    progress(`screen: ${columns}x${rows}, the console, 2000 lines a second`);
    figures.push(...(await measureConsole(temporaryFolder)));
    progress(`screen: ${columns}x${rows}, the deploy screen, reading and launching`);
    figures.push(...(await measureDeployScreen(temporaryFolder)));
    progress("screen: first frame of modelctl");
    figures.push(await measureOpening(temporaryFolder));
    progress(`screen: decoding ${basename(modelPath)} with and without it`);
    figures.push(await measureDecoding(temporaryFolder, modelPath));
    return figures;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function measureStream(
  messages: number,
  temporaryFolder: string,
  serverUrl: string,
): Promise<Figure[]> {
  const file = join(temporaryFolder, `screen-${messages}.json`);
  const screen = await openProgram("screen-process", {
    SCREEN_FIGURES: file,
    SCREEN_SECONDS: String(measuredSeconds),
    SCREEN_MESSAGES: String(messages),
    SCREEN_SERVER: serverUrl,
  });
  try {
    await screen.takesKeys();
    screen.write("\u0416");
    await screen.shows("\u0416");
    screen.write("\r");
    await untilThere(`${file}.begun`);
    // Lets the first frames compile the code.
    await sleep(1000);
    const bytesBefore = screen.byteCount();
    const startedAtMs = performance.now();
    const keyTimesMs: number[] = [];
    for (const key of typedKeys) {
      keyTimesMs.push(await screen.timeKey(key));
      // Irregular, so that keys do not coincide with frames.
      await sleep(130 + 37 * (keyTimesMs.length % 5));
    }
    const seconds = (performance.now() - startedAtMs) / 1000;
    const kilobytesPerSecond = (screen.byteCount() - bytesBefore) / 1000 / seconds;
    const costs = await readCosts(file);
    const label = `screen, ${messages} messages:`;
    return [
      {
        label: `${label} frame, p95`,
        unit: "ms",
        samples: [quantile(costs.frameMs, 0.95)],
        target: { bound: "below", value: 12 },
      },
      {
        label: `${label} processor, of one core`,
        unit: "%",
        samples: [costs.processorShare * 100],
        target: { bound: "below", value: 30 },
      },
      {
        label: `${label} key to glyph, p95`,
        unit: "ms",
        samples: [quantile(keyTimesMs, 0.95)],
        target: { bound: "below", value: 50 },
      },
      {
        label: `${label} written to the terminal`,
        unit: "kB/s",
        samples: [kilobytesPerSecond],
        target: { bound: "below", value: 40 },
      },
    ];
  } finally {
    screen.close();
  }
}

async function untilThere(file: string): Promise<void> {
  const deadlineMs = performance.now() + waitLimitMs;
  while (!existsSync(file)) {
    if (performance.now() > deadlineMs) throw new Error(`the screen did not write ${file}`);
    await sleep(50);
  }
}

/** Waits until the process has measured itself. */
async function readCosts(file: string): Promise<ScreenCosts> {
  await untilThere(file);
  return JSON.parse(await readFile(file, "utf8")) as ScreenCosts;
}

/**
 * Measures from the start of the process until tabs are visible; the server starts meanwhile. Leaves out
 * the first start after an installation, which fills Node's cache of compiled code.
 */
async function measureOpening(temporaryFolder: string): Promise<Figure> {
  const samples: number[] = [];
  const home = await createHome(temporaryFolder);
  for (let run = 0; run <= openingRuns; run += 1) {
    const startedAtMs = performance.now();
    const screen = openScreen([commandPath], {
      ...home,
      MODELCTL_HOST: `127.0.0.1:${await findFreePort()}`,
    });
    try {
      await screen.shows("1 Chat");
      if (run > 0) samples.push(performance.now() - startedAtMs);
      await screen.shows("Enter send");
      screen.write("/bye\r");
      await screen.ended;
    } finally {
      screen.close();
    }
  }
  return {
    label: "modelctl, first frame",
    unit: "ms",
    samples,
    target: { bound: "below", value: 500 },
  };
}

/** Requests the same answer through the chat and without a screen, in turns. */
async function measureDecoding(temporaryFolder: string, modelPath: string): Promise<Figure> {
  const samples: number[] = [];
  const port = await findFreePort();
  const home = await createHome(temporaryFolder);
  const screen = openScreen([commandPath, "run", modelPath], {
    ...home,
    MODELCTL_HOST: `127.0.0.1:${port}`,
    MODELCTL_NUM_THREAD: "1",
    MODELCTL_MODEL_FOLDERS: dirname(modelPath),
    MODELCTL_NOHISTORY: "1",
  });
  try {
    await screen.takesKeys();
    await screen.shows(basename(modelPath));
    const url = `http://127.0.0.1:${port}`;
    const question = "Write a long story.";
    const options = { num_predict: decodedTokens, temperature: 1, seed: 1 };
    for (const [name, value] of Object.entries(options)) {
      screen.write(`/set parameter ${name} ${value}\r`);
      await sleep(300);
    }
    for (let round = 0; round < decodingRounds; round += 1) {
      screen.write(`/clear\r`);
      await sleep(300);
      const before = await answersOf(url);
      screen.write(`${question}\r`);
      const shown = await newAnswer(url, before.length);
      const messages = [{ role: "user", content: question }];
      const body = JSON.stringify({ model: modelPath, messages, options });
      await (await fetch(`${url}/api/chat`, { method: "POST", body })).text();
      const bare = await newAnswer(url, before.length + 1);
      if (round > 0) samples.push(shown / bare);
    }
  } finally {
    screen.close();
  }
  return {
    label: "decoding with the chat on show, of that without",
    unit: "x",
    samples,
    target: { bound: "at least", value: 0.9 },
  };
}

interface AnswerRecord {
  path: string;
  state: string;
  tokensPerSecond?: number;
}

async function answersOf(url: string): Promise<AnswerRecord[]> {
  const reply = await fetch(`${url}/api/requests`);
  const { requests } = (await reply.json()) as { requests: AnswerRecord[] };
  return requests.filter(({ path, state }) => path === "/api/chat" && state === "done");
}

/** Returns the tokens per second of an answer by its number. */
async function newAnswer(url: string, index: number): Promise<number> {
  const deadlineMs = performance.now() + waitLimitMs;
  while (performance.now() < deadlineMs) {
    const record = (await answersOf(url))[index];
    if (record?.tokensPerSecond !== undefined) return record.tokensPerSecond;
    await sleep(100);
  }
  throw new Error("the answer did not come to its end");
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
