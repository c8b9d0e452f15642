// modelctl recommend: with a hub, without one, and for other machines.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Home } from "../support/command-line.ts";
import { sampleRepositories } from "../support/hub-models.ts";
import { type LoopbackHub, startLoopbackHub } from "../support/loopback-hub.ts";

let hub: LoopbackHub;
beforeAll(async () => {
  hub = await startLoopbackHub(sampleRepositories(Date.now()));
});
afterAll(async () => await hub.close());

/** Has a home whose memory reads 60 GB a second. */
async function measuredHome(): Promise<Home> {
  const home = await Home.create();
  onTestFinished(async () => await home.remove());
  const folder = path.join(home.folder, "cache", "modelctl");
  mkdirSync(folder, { recursive: true });
  const cpu = { bytesPerSecond: 60e9, factor: 0.9, answers: 3 };
  const speeds = { version: 1, devices: { cpu }, models: {} };
  writeFileSync(path.join(folder, "speed.json"), JSON.stringify(speeds));
  return home;
}

test("prints a model for each purpose with size, memory and speed, asking the hub once a day", async () => {
  const home = await measuredHome();
  const recommend = (...words: string[]) =>
    home.call(["recommend", ...words], { environment: { HF_ENDPOINT: hub.url } });
  const { code, output, errors } = await recommend("--memory", "16GiB");
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(output).toMatch(/^MODEL +SIZE +MEMORY +TOK\/S +DISK AFTER$/m);
  expect(output).toMatch(/^hf\.co\/unsloth\/Aster-8B-GGUF:Q4_K_M +5 GB +5\.9 GiB +7\.7-13 +-$/m);
  expect(output).toContain(
    "Aster-8B-GGUF:Q4_K_M: The best that is comfortable here; 100k downloads",
  );
  expect(output).toContain("Get one: modelctl run hf.co/unsloth/Aster-8B-GGUF:Q4_K_M\n");
  const asked = hub.requests.length;
  const again = await recommend("--for", "code", "--memory", "16GiB", "--json");
  expect(JSON.parse(again.output)).toMatchObject({
    models: [
      {
        purpose: "code",
        name: "hf.co/Qwen/Scribe-Coder-3B-GGUF:Q4_K_M",
        sizeBytes: 1.9e9,
        isRough: false,
        speed: { expected: { low: expect.any(Number), high: expect.any(Number) } },
      },
    ],
    notes: [],
  });
  expect(hub.requests).toHaveLength(asked);
});

test("says that nothing fits, and why", async () => {
  const home = await measuredHome();
  const words = ["recommend", "--memory", "512MiB"];
  const small = await home.call(words, { environment: { HF_ENDPOINT: hub.url } });
  expect(small).toMatchObject({ code: 3, output: "" });
  expect(small.errors).toMatch(
    /^Nothing fits in 512 MiB of free memory\. The smallest, unsloth\/Aster-0\.6B-GGUF, needs /,
  );
});

test("names what works without a hub", async () => {
  const home = await measuredHome();
  const outcome = await home.call(["recommend"], {
    environment: { HF_ENDPOINT: "http://127.0.0.1:9" },
  });
  expect(outcome).toMatchObject({ code: 8, output: "" });
  expect(outcome.errors).toContain("127.0.0.1:9");
  expect(outcome.errors).toContain("modelctl run ~/models/FILE.gguf; or modelctl run tiny.\n");
  const wrong = await home.call(["recommend", "--memory", "much"]);
  expect(wrong).toMatchObject({ code: 2, errors: expect.stringContaining("--memory much") });
});
