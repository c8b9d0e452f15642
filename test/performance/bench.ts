// `npm run bench`: modelctl compared with llama.cpp's own server, on one machine in one run.

import { createReadStream, existsSync } from "node:fs";
import { cpus } from "node:os";
import { basename, join, resolve } from "node:path";
import { buildExtension } from "../../source/application/devices/build-extension.ts";
import { findAddonBinary } from "../../source/engine/text/addon.ts";
import { extensionFileName, extensionFolders } from "../../source/engine/text/engine-extension.ts";
import { realModel } from "../support/real-models.ts";
import { measureAffinity } from "./affinity-figures.ts";
import { createTemporaryFolder, installCleanUp } from "./clean-up.ts";
import { measureCommands } from "./command-figures.ts";
import { type Comparison, compare } from "./comparison.ts";
import { measureGateway } from "./gateway-figures.ts";
import { measureImages } from "./image-figures.ts";
import { measureLibrary } from "./library-figures.ts";
import { measureLookup } from "./lookup-figures.ts";
import { measureLoop } from "./loop-figures.ts";
import { measureMemory } from "./memory-figures.ts";
import { helpText, type Options, type OwnSuiteName, readOptions } from "./options.ts";
import {
  buildPeer,
  findMissingTool,
  findPeer,
  findRelease,
  type PeerPrograms,
  type Release,
} from "./peer-build.ts";
import { measureRepeats } from "./repeat-figures.ts";
import { type Figure, formatFigures, formatRows, summarise, writeReport } from "./report.ts";
import { measureScreen } from "./screen-figures.ts";
import { measureServer } from "./server-figures.ts";
import { commandPath, type ServerSettings, startOurs, startPeerWith } from "./server-process.ts";
import type { MemoryName } from "./synthetic-architectures.ts";
import { ensureModel, modelFileName, usualModel } from "./synthetic-model.ts";
import { ensureSeeingModel, imageTokens } from "./synthetic-projector.ts";

const slots = 8;
const context = 1024;
const tinyPath = resolve(import.meta.dirname, "../../media/models/tiny-chat.gguf");

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.isHelp) return print(helpText);
  installCleanUp();
  const needsOurs = options.ownSuiteNames.length > 0 || !options.isNoiseFloor;
  if (needsOurs && !existsSync(commandPath)) {
    throw new Error(`${commandPath} is missing: run npm run build first`);
  }
  const release = await findRelease();
  const temporaryFolder = createTemporaryFolder();
  const report = {
    ...describeMachine(release),
    comparisons: [] as object[],
    figures: {} as Partial<Record<OwnSuiteName, Figure[]>>,
  };
  print(`${report.processor}, node ${report.node}, llama.cpp ${release.tag}`);
  if (options.hasServers) {
    const isOwn = !options.usesPrebuilt && findAddonBinary("cpu")?.isOwn === true;
    print(`engine of ours: ${isOwn ? "built here by modelctl engine build" : "as shipped"}`);
    const comparisons = await compareServers(options, release, temporaryFolder);
    if (!comparisons) return;
    report.comparisons.push(...comparisons);
  }
  for (const name of options.ownSuiteNames) {
    const figures = await measureOwn(name, options, release, temporaryFolder);
    print(`\n${formatFigures(figures)}`);
    report.figures[name] = figures;
  }
  if (options.jsonPath) await writeReport(options.jsonPath, report);
}

async function measureOwn(
  name: OwnSuiteName,
  options: Options,
  release: Release,
  temporaryFolder: string,
): Promise<Figure[]> {
  if (name === "commands") return await measureCommands(temporaryFolder);
  if (name === "library") return await measureLibrary(temporaryFolder, print);
  if (name === "gateway") return await measureGateway(temporaryFolder, print);
  if (name === "images") return await measureSeeing(options, release, temporaryFolder);
  if (name === "repeats") return await measureRepeating(options, release, temporaryFolder);
  if (name === "memory") return await measureHolding(options, release, temporaryFolder);
  if (name === "lookup") return await measureGuessing(options, temporaryFolder);
  if (name === "affinity") return await measureReplicas(options, temporaryFolder);
  if (name === "loop") return await measureLoop(loopSettings(options, temporaryFolder));
  const syntheticPath = join(release.cacheFolder, modelFileName(usualModel));
  const modelPath = existsSync(syntheticPath) ? syntheticPath : tinyPath;
  await readOnce(modelPath);
  if (name === "screen") return await measureScreen({ temporaryFolder, modelPath }, print);
  const { rounds, usesPrebuilt, threads } = options;
  const most = Math.max(...threads);
  print(`server: ${basename(modelPath)}, ${most} threads, ${slots} streams`);
  const settings = { modelPath, threads: most, slots, context, temporaryFolder, usesPrebuilt };
  return await measureServer(settings, rounds);
}

async function measureGuessing(
  { rounds, usesPrebuilt, threads }: Options,
  temporaryFolder: string,
): Promise<Figure[]> {
  const modelPath = await realModel("qwen2.5-coder-0.5b");
  if (modelPath === undefined) return [];
  await readOnce(modelPath);
  const settings = { modelPath, threads: Math.max(...threads), slots: 1, context: 2048 };
  return await measureLookup({ ...settings, temporaryFolder, usesPrebuilt }, rounds, print);
}

/** Measured with one thread for each replica, since they share the cores. */
async function measureReplicas(
  { rounds, usesPrebuilt }: Options,
  temporaryFolder: string,
): Promise<Figure[]> {
  const modelPath = await realModel("smollm2-135m");
  if (modelPath === undefined) return [];
  await readOnce(modelPath);
  const settings = { modelPath, threads: 1, slots: 4, context: 2048 };
  return await measureAffinity({ ...settings, temporaryFolder, usesPrebuilt }, rounds, print);
}

/** Measured with the smallest model, as the server's thread does the same work for all. */
function loopSettings({ usesPrebuilt }: Options, temporaryFolder: string): ServerSettings {
  return { modelPath: tinyPath, threads: 1, slots: 4, context, temporaryFolder, usesPrebuilt };
}

/** Measured with the largest number of threads only, as images are slow. */
async function measureSeeing(
  options: Options,
  release: Release,
  temporaryFolder: string,
): Promise<Figure[]> {
  const { rounds, usesPrebuilt, threads, isPeerPassive } = options;
  const peer = await ensurePeer(release);
  if (!peer) return [];
  const modelPath = await makeModel(options, release, peer, usualModel.memory);
  const model = await ensureSeeingModel(modelPath, release.cacheFolder);
  await readOnce(model.projectorPath);
  if (!usesPrebuilt && !existsSync(join(extensionFolders("cpu")[0], extensionFileName))) {
    print("Building the engine extension, once (a minute) ...");
    await buildExtension("cpu", { onProgress: () => {}, signal: undefined });
  }
  const most = Math.max(...threads);
  print(
    `images: ${imageTokens} tokens each, ${most} threads, llama-server with the same projector`,
  );
  const settings = {
    ...{ modelPath, threads: most, slots: 4, context: 2048 },
    ...{ temporaryFolder, usesPrebuilt },
  };
  const peerEnvironment = passiveEnvironment(isPeerPassive);
  return await measureImages({ settings, model, peer: peer.server, peerEnvironment, rounds });
}

/** Prompts that share an earlier one's prefix; the peer keeps idle conversations in memory too. */
async function measureRepeating(
  options: Options,
  release: Release,
  temporaryFolder: string,
): Promise<Figure[]> {
  const { kind, rounds, usesPrebuilt, threads } = options;
  const peer = await ensurePeer(release);
  if (!peer) return [];
  const figures: Figure[] = [];
  const kinds: MemoryName[] = kind === undefined ? ["dense", "sliding", "hybrid"] : [kind];
  for (const one of kinds) {
    const modelPath = await makeModel(options, release, peer, one);
    const settings = { modelPath, threads: Math.max(...threads), temporaryFolder, usesPrebuilt };
    const environment = passiveEnvironment(options.isPeerPassive);
    const startPeer = startPeerWith(peer.server, environment, ["--cache-ram", "8192"]);
    const run = { settings, startPeer, kind: one, rounds, progress: print };
    figures.push(...(await measureRepeats(run)));
  }
  return figures;
}

async function measureHolding(
  options: Options,
  release: Release,
  temporaryFolder: string,
): Promise<Figure[]> {
  const peer = await ensurePeer(release);
  if (!peer) return [];
  const modelPath = await makeModel(options, release, peer, options.kind ?? usualModel.memory);
  const { usesPrebuilt } = options;
  const threads = Math.max(...options.threads);
  const settings = { modelPath, threads, slots, context: 2048, temporaryFolder, usesPrebuilt };
  return await measureMemory(settings, startPeerWith(peer.server, {}));
}

/** Returns the model of a kind, created if missing, and read into the page cache. */
async function makeModel(
  { vocabulary }: Options,
  release: Release,
  peer: PeerPrograms,
  memory: MemoryName,
): Promise<string> {
  const model = { memory, vocabulary };
  const path = join(release.cacheFolder, modelFileName(model));
  if (!existsSync(path)) print(`Making the model ${path}, once (a minute) ...`);
  await ensureModel(path, peer.quantize, model);
  await readOnce(path);
  return path;
}

function passiveEnvironment(isPassive: boolean): Record<string, string> {
  return isPassive ? { OMP_WAIT_POLICY: "passive" } : {};
}

/** Returns the peer, built if missing; undefined if it cannot be built. */
async function ensurePeer(release: Release): Promise<PeerPrograms | undefined> {
  const peer = await findPeer(release);
  if (peer) return peer;
  const missing = await findMissingTool();
  if (missing) return print(`Skipped: building llama-server needs ${missing}.`);
  print(`Building llama-server in ${release.cacheFolder}, once (10 minutes or more) ...`);
  return await buildPeer(release);
}

/** Resolves with undefined when the peer cannot be built. */
async function compareServers(
  options: Options,
  release: Release,
  temporaryFolder: string,
): Promise<object[] | undefined> {
  const peer = await ensurePeer(release);
  if (!peer) return undefined;
  const modelPath = await makeModel(options, release, peer, options.kind ?? usualModel.memory);
  const startPeer = startPeerWith(peer.server, passiveEnvironment(options.isPeerPassive));
  const starters = { ours: options.isNoiseFloor ? startPeer : startOurs, peer: startPeer };
  const comparisons: object[] = [];
  for (const threads of options.threads) {
    const { suiteNames, rounds, usesPrebuilt } = options;
    const settings = { modelPath, threads, slots, context, temporaryFolder, usesPrebuilt };
    const comparison = await compare({ settings, starters, suiteNames, rounds, progress: print });
    const rows = summarise(threads, comparison.samples);
    print(`\n${formatRows(rows)}\n\n${formatCircumstances(comparison)}\n`);
    const { commandLines, loadAverages, notes } = comparison;
    const namedNotes = Object.fromEntries(notes);
    comparisons.push({ threads, rows, commandLines, loadAverages, notes: namedNotes });
  }
  return comparisons;
}

function formatCircumstances(comparison: Comparison): string {
  return [
    "Medians of all samples; the ratio is the median of ours / peer over the pairs of samples,",
    "and others is the median of the cores that other programs kept busy meanwhile.",
    `ours: ${comparison.commandLines.ours}`,
    `peer: ${comparison.commandLines.peer}`,
    "The last round's chats, both sides:",
    ...[...comparison.notes].map(([name, note]) => `${name}: ${note}`),
  ].join("\n");
}

function describeMachine(release: Release) {
  return {
    date: new Date().toISOString(),
    node: process.version,
    llamaCpp: release.tag,
    processor: `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown processor"}`,
    slots,
    context,
  };
}

/** Reads the file once: both servers map it, and the first to start would wait for the disk. */
async function readOnce(path: string): Promise<void> {
  for await (const _ of createReadStream(path, { highWaterMark: 2 ** 22 }));
}

function print(text: string): undefined {
  process.stdout.write(`${text}\n`);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
