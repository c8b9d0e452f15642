// Loading and unloading of models, on the real tiny models.
import { copyFileSync, mkdtempSync, renameSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type CanonicalEvent,
  type CanonicalRequest,
  plainChat,
  plainRequest,
} from "../../../source/engine/request.ts";
import { BackOff } from "../../../source/engine/scheduler/back-off.ts";
import { Scheduler } from "../../../source/engine/scheduler/scheduler.ts";
import { ModelCatalog } from "../../../source/store/model-catalog.ts";
import type { ModelParameters } from "../../../source/store/model-parameters.ts";
import { tinyEngine, tinyFile } from "../../support/load-tiny.ts";
import { openStore } from "../../support/model-store.ts";

const folder = mkdtempSync(path.join(tmpdir(), "modelctl-scheduler-"));
let scheduler: Scheduler | undefined;
const log: string[] = [];

type Options = Partial<ConstructorParameters<typeof Scheduler>[0]>;

/** Opens a scheduler for one test. */
function create(options: Options = {}): Scheduler {
  log.length = 0;
  scheduler = open(options);
  return scheduler;
}

function open(options: Options): Scheduler {
  return new Scheduler({
    catalog: new ModelCatalog(),
    engine: tinyEngine,
    keepAliveMs: 60_000,
    loadTimeoutMs: 60_000,
    maxLoadedModels: 3,
    log: (text) => log.push(text),
    engineLog: () => {},
    ...options,
  });
}

let usual: Scheduler;

/** Shared by tests that need no options: each starts with the models that the others have loaded. */
function shared(): Scheduler {
  log.length = 0;
  return usual;
}

beforeAll(() => {
  usual = open({ maxLoadedModels: 2 });
});
afterEach(async () => {
  await scheduler?.close();
  scheduler = undefined;
});
afterAll(async () => {
  await usual.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(
  target: Scheduler,
  model: string,
  changes: Partial<CanonicalRequest> = {},
  parameters: ModelParameters = {},
): Promise<{ text: string; events: CanonicalEvent[] }> {
  const request = plainRequest({
    model,
    isFileAllowed: () => true,
    input: plainChat([{ role: "user", content: "What is 2 + 3?" }]),
    parameters: { temperature: 0, ...parameters },
    ...changes,
  });
  const events: CanonicalEvent[] = [];
  const resolved = await target.resolve(request);
  for await (const event of target.run(request, resolved, new AbortController().signal)) {
    events.push(event);
  }
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  return { text, events };
}

/** A copy of the tiny model under another path: another model for the scheduler. */
function copyOfTiny(name: string): string {
  const file = path.join(folder, `${name}.gguf`);
  copyFileSync(tinyFile, file);
  return file;
}

describe("loading", () => {
  it("happens once for simultaneous requests, with growing fractions on request", async () => {
    const target = shared();
    const answers = await Promise.all(
      [true, false, false].map((reportProgress) => ask(target, "tiny", { reportProgress })),
    );
    expect(answers.map(({ text }) => text)).toEqual(Array(3).fill("2 + 3 = 5"));
    expect(target.models).toHaveLength(1);
    expect(log.filter((line) => line.startsWith("loaded"))).toHaveLength(1);
    const fractionsOf = (events: readonly CanonicalEvent[] = []) =>
      events.flatMap((event) => (event.type === "loading" ? [event.fraction] : []));
    const [reported = [], ...others] = answers.map(({ events }) => fractionsOf(events));
    // On a busy machine the fractions of a small file come after its end, and are left out.
    expect(reported.length).toBeGreaterThan(0);
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
    expect(others).toEqual([[], []]);
    const steps = answers[0]?.events.map(({ type }) => type) ?? [];
    expect(steps.filter((step) => step === "warming-up")).toHaveLength(1);
    expect(steps.indexOf("warming-up")).toBeGreaterThan(steps.lastIndexOf("loading"));
    expect(reported.at(-1)).toBeLessThan(1);
  });

  it("serves a smaller window from a larger one, and reloads for a larger one, up to the model's", async () => {
    const target = shared();
    await ask(target, "tiny");
    const first = target.models[0]?.runner?.processId;
    await ask(target, "tiny", {}, { num_ctx: 512 });
    await ask(target, "tiny", {}, { temperature: 0.5, num_predict: 3 });
    expect(target.models[0]?.runner?.processId).toBe(first);
    // More than the model was trained for.
    await ask(target, "tiny", {}, { num_ctx: 100_000 });
    expect(target.models[0]?.runner?.processId).not.toBe(first);
    expect(target.models[0]?.settings.contextLength).toBe(4096);
    expect(log).toContainEqual(expect.stringContaining("num_ctx 4096 is larger"));
  });

  it("has as many slots as there is memory for windows, logs it, and answers anyway", async () => {
    const { model, parameters } = { model: "tiny", parameters: { num_ctx: 4096 } };
    const engine = { ...tinyEngine, slots: 8 };
    // The weights, what computing takes, and room for three windows of 8 MiB and a half.
    const freeBytes = 1_933_632 + 84_959_808 + 3.5 * 4096 * 2048;
    const target = create({ engine, freeBytes: () => freeBytes });
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => ask(target, model, {}, parameters)),
    );
    expect(answers.map(({ text }) => text)).toEqual(Array(5).fill("2 + 3 = 5"));
    expect(target.models[0]?.facts?.slots).toBe(3);
    expect(log[0]).toMatch(/: fits; window .*; room for 3 of 8 parallel requests$/);
  });

  it("makes room by unloading the least recently used model, and logs it", async () => {
    const target = shared();
    const [a, b] = [copyOfTiny("a"), copyOfTiny("b")];
    for (const model of ["tiny", a, "tiny", b]) await ask(target, model);
    expect(target.models.map(({ model }) => model.parts)).toEqual([[b], [tinyFile]]);
    expect(log).toContainEqual(expect.stringContaining(`unloading ${a}`));
  });
});

describe("a request that needs a load or a reload", () => {
  const signal = new AbortController().signal;
  /** Starts a request and continues it when asked. */
  async function begin(
    target: Scheduler,
    parameters: ModelParameters = {},
    leaving = signal,
    model = "tiny",
  ) {
    const input = plainChat([{ role: "user", content: "What is 2 + 3?" }]);
    const isFileAllowed = () => true;
    const request = plainRequest({ model, isFileAllowed, input, parameters });
    const asked = { ...request, reportProgress: true };
    const events = target.run(asked, await target.resolve(asked), leaving);
    const first = (await events.next()).value;
    const end = async () => {
      for await (const event of events) if (event.type === "done") return event.reason;
      return undefined;
    };
    return { first, end };
  }

  it("lets requests without a reload pass while an older one runs, and no longer", async () => {
    const target = shared();
    await ask(target, "tiny");
    const older = await begin(target);
    const odd = await begin(target, { num_batch: 64 });
    expect(odd.first).toEqual({ type: "queued", ahead: 1 });
    expect((await ask(target, "tiny")).text).toBe("2 + 3 = 5");
    const younger = await begin(target);
    await older.end();
    const late = await begin(target);
    expect(late.first).toEqual({ type: "queued", ahead: 1 });
    await younger.end();
    expect(await odd.end()).toBe("stop");
    expect(await late.end()).toBe("stop");
    expect(log.filter((line) => line.startsWith("unloading"))).toEqual([
      expect.stringContaining("num_batch differs"),
    ]);
  });

  it("replaces a model that is never idle", async () => {
    const target = create({ maxLoadedModels: 1 });
    const file = copyOfTiny("starved");
    let users = await Promise.all([begin(target), begin(target)]);
    const starved = ask(target, file).then(() => true);
    // A new request starts before each older one ends: the model is never idle.
    const isServed = async () => await Promise.race([starved, Promise.resolve(false)]);
    for (let round = 0; round < 8 && !(await isServed()); round += 1) {
      const [older, ...others] = users;
      users = [...others, await begin(target)];
      await older?.end();
    }
    expect(log).toContainEqual(expect.stringContaining(`loading ${file}`));
    await Promise.all([starved, ...users.map(({ end }) => end())]);
  });

  it("that is cancelled lets later ones use the model as it is", async () => {
    const target = shared();
    const older = await begin(target);
    const leaving = new AbortController();
    const odd = await begin(target, { num_batch: 32 }, leaving.signal);
    const younger = await begin(target);
    await older.end();
    const late = await begin(target);
    expect(late.first).toEqual({ type: "queued", ahead: 1 });
    leaving.abort();
    await expect(odd.end()).rejects.toMatchObject({ code: "ENGINE_CANCELLED" });
    expect(await late.end()).toBe("stop");
    await younger.end();
    expect(log.some((line) => line.startsWith("unloading"))).toBe(false);
  });
});

describe("a file that is replaced while its model is loaded", () => {
  /** Puts another file in its place, as `mv` does. */
  const replace = (file: string) => {
    const other = copyOfTiny("another");
    utimesSync(other, new Date(), new Date(Date.now() - 60_000));
    renameSync(other, file);
  };

  it("is reloaded once, by the next request, and does not interrupt running answers", async () => {
    const target = shared();
    const file = copyOfTiny("in-use");
    const story = { input: plainChat([{ role: "user", content: "Write a long story." }]) };
    const { text: whole } = await ask(target, file, story);
    const begun = ask(target, file, story);
    await expect.poll(() => target.models[0]?.isBusy).toBe(true);
    replace(file);
    expect((await ask(target, file)).text).toBe("2 + 3 = 5");
    expect((await begun).text).toBe(whole);
    await ask(target, file);
    expect(log).toContain(`unloading ${file}: its file has changed`);
    expect(log.filter((line) => line.startsWith("loaded"))).toHaveLength(2);
  });
});

it("reassigning a name unloads its old model", async () => {
  const { catalog, create: make, tinyAt } = openStore();
  const [one, two] = [tinyAt("one.gguf"), tinyAt("two.gguf")];
  const target = create({ catalog });
  const loadedFiles = () => target.models.flatMap(({ model }) => model.parts).sort();
  await make("mine", { from: [one] });
  await ask(target, "mine");
  await make("mine", { from: [two] });
  await target.unload(await catalog.resolve("mine"));
  expect(loadedFiles()).toEqual([]);
  await make("yours", { from: [two] });
  for (const name of ["mine", "yours"]) await ask(target, name);
  await make("mine", { from: [one] });
  await ask(target, "mine");
  expect(loadedFiles()).toEqual([one, two]);
  await make("mine", { from: [two] });
  await ask(target, "mine");
  await expect.poll(loadedFiles).toEqual([two]);
});

describe("keep-alive", () => {
  it("applies until another request changes it, and 0 unloads the model", async () => {
    const target = shared();
    await ask(target, "tiny", { keepAliveMs: Number.POSITIVE_INFINITY });
    expect(target.models[0]?.expiresAt).toBeUndefined();
    await ask(target, "tiny");
    expect(target.models[0]?.keepAliveMs).toBe(Number.POSITIVE_INFINITY);
    expect((await ask(target, "tiny", { keepAliveMs: 0 })).text).toBe("2 + 3 = 5");
    const loaded = () => target.models.flatMap(({ model }) => model.parts);
    await expect.poll(loaded).not.toContain(tinyFile);
  });
});

describe("errors", () => {
  it("of a failed load reach every waiting request, and the next one retries", async () => {
    const target = create({ engine: { ...tinyEngine, device: "metal" } });
    const results = await Promise.allSettled([ask(target, "tiny"), ask(target, "tiny")]);
    for (const result of results) {
      expect(result).toMatchObject({
        status: "rejected",
        reason: { code: "ENGINE_DEVICE_UNAVAILABLE" },
      });
    }
    await expect(ask(target, "tiny")).rejects.toThrow(/--gpu metal/);
  });

  it("refuse requests after closing", async () => {
    const target = create();
    await target.close();
    await expect(ask(target, "tiny")).rejects.toMatchObject({ code: "ENGINE_SHUTTING_DOWN" });
  });
});

describe("BackOff", () => {
  it("lets the first crash pass, then doubles the wait up to a minute, until an answer succeeds", () => {
    let now = 0;
    const backOff = new BackOff({ now: () => now, wallMs: () => now });
    expect(backOff.remainingMs("m")).toBe(0);
    const waits = Array.from({ length: 9 }, () => {
      backOff.noteCrash("m");
      const wait = backOff.remainingMs("m");
      now += wait;
      return wait;
    });
    expect(waits).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(backOff.remainingMs("other")).toBe(0);
    backOff.noteSuccess("m");
    backOff.noteCrash("m");
    expect(backOff.remainingMs("m")).toBe(0);
  });
});
