// modelctl bench: measures models through the server, and compares with another one.
import {
  type BenchFigures,
  type BenchServer,
  benchModel,
  nameOn,
} from "../../application/bench/bench-model.ts";
import { shownModel } from "../../base/display-text.ts";
import { wholeReference } from "../../base/file-path.ts";
import { formatMemory } from "../../base/formats.ts";
import { exitCodes } from "../../base/product-error.ts";
import { type KnownRate, percentage, rate } from "../../base/quantities.ts";
import { ApiClient, type ServerConnection } from "../../client/api-client.ts";
import { OpenAiEndpoint } from "../../client/openai-endpoint.ts";
import { parseAddress, urlOf } from "../../configuration/address.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { interruptible, isInterruption } from "../interruptible.ts";
import { openLibrary } from "../model-library.ts";
import { printDocument, warn } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { ProgressLines } from "../progress-lines.ts";
import { ServerLink } from "../server-link.ts";
import { type CommandSettings, readSettings } from "../session-settings.ts";
import { startingModel } from "../starting-model.ts";
import { formatTable } from "../table.ts";
import type { serverCommands } from "./server.definition.ts";

interface Measured extends BenchFigures {
  /** Known for our own server only. */
  expected?: KnownRate["expected"];
}

export const bench: Run<typeof serverCommands.bench> = async (words, flags) => {
  const settings = readSettings(flags);
  const other = flags.compare === undefined ? undefined : readOther(flags.compare);
  const named = words.length > 0 ? words : [(await startingModel(flags, settings)).name];
  const models = named.map((name) => wholeReference(name, settings.values.hub_prefixes));
  const results: Measured[] = [];
  const progress = new ProgressLines(process.stderr);
  try {
    await interruptible((signal) =>
      measureAll(models, other, { flags, settings, results, progress, signal }),
    );
  } catch (error) {
    if (!isInterruption(error)) throw error;
    progress.clear();
    report(results, flags.json ?? false);
    process.stderr.write("Stopped; figures that are missing were not measured.\n");
    return exitCodes.interrupted;
  } finally {
    progress.clear();
  }
  report(results, flags.json ?? false);
  return exitCodes.ok;
};

interface Work {
  flags: Flags;
  settings: CommandSettings;
  /** Receives the figures while they are measured. */
  results: Measured[];
  progress: ProgressLines;
  signal: AbortSignal;
}

async function measureAll(
  models: readonly string[],
  other: BenchServer | undefined,
  work: Work,
): Promise<void> {
  const { flags, settings, signal } = work;
  for (const model of models) {
    const link = await ServerLink.open(flags, settings, "shared", model, { signal });
    await measure(serverOf("modelctl", link.client.connection), model, work);
    if (other === undefined) continue;
    const name = nameOn(await other.endpoint.models(signal), model);
    if (name === undefined) warn(`${other.name} has no model ${shownModel(model)}.`);
    else await measure(other, name, work);
  }
}

async function measure(server: BenchServer, model: string, work: Work): Promise<void> {
  const { results, progress, signal, flags } = work;
  const at = results.length;
  const isOwn = server.name === "modelctl";
  const label = isOwn ? shownModel(model) : `${shownModel(model)} on ${server.name}`;
  const onStep = (step: string) => progress.status(`${label}: ${step}`, label);
  for await (const figures of benchModel(server, model, { signal, onStep })) {
    results[at] = figures;
  }
  const measured = results[at];
  // Known after an answer; the memory of a named server's machine is not.
  if (measured === undefined || !isOwn || flags.connect !== undefined) return;
  const { library, settings } = openLibrary(flags);
  const expected = (await library.speeds([{ name: model }], settings)).get(model)?.expected;
  if (expected !== undefined) results[at] = { ...measured, expected };
}

/** @throws ProductError `COMMAND_USAGE` */
function readOther(text: string): BenchServer {
  const address = parseAddress(text);
  if (address === undefined) {
    throw usageError(`--compare ${text} is not an address.`, "Use http://host:port.");
  }
  const url = urlOf(address);
  return serverOf(new URL(url).host, { url });
}

function serverOf(name: string, connection: ServerConnection): BenchServer {
  const { url, key } = connection;
  return {
    name,
    client: new ApiClient(connection),
    endpoint: new OpenAiEndpoint({
      url,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    }),
  };
}

function report(results: readonly Measured[], isJson: boolean): void {
  if (isJson) printDocument(results);
  if (isJson || results.length === 0) return;
  const hasOther = results.some(({ server }) => server !== "modelctl");
  const headers = [
    "model",
    ...(hasOther ? ["server"] : []),
    ...["cold", "warm", "prompt tok/s", "tok/s", "4 x tok/s", "memory", "expected"],
  ];
  const rows = results.map((figures) => [
    shownModel(figures.model),
    ...(hasOther ? [figures.server] : []),
    span(figures.coldMs),
    span(figures.warmMs),
    shown(figures.promptTokensPerSecond, rate),
    shown(figures.tokensPerSecond, rate),
    shown(figures.fourTokensPerSecond, rate),
    shown(figures.memoryBytes, formatMemory),
    expectedText(figures),
  ]);
  process.stdout.write(formatTable(headers, rows));
}

/** `22.4 (-8%)`: the expected speed, and how far the measured one is from it. */
function expectedText({ expected, tokensPerSecond }: Measured): string {
  if (expected === undefined) return "-";
  const middle = (expected.low + expected.high) / 2;
  if (tokensPerSecond === undefined) return rate(middle);
  const difference = tokensPerSecond / middle - 1;
  return `${rate(middle)} (${difference >= 0 ? "+" : ""}${percentage(difference)})`;
}

function span(milliseconds: number | undefined): string {
  return shown(milliseconds, (ms) =>
    ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`,
  );
}

function shown(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? "-" : format(value);
}
