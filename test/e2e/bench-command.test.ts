// modelctl bench and update, and list --outdated.
import { expect, onTestFinished, test } from "vitest";
import { Home } from "../support/command-line.ts";
import { startLoopbackHub } from "../support/loopback-hub.ts";
import { numberedTiny } from "../support/tiny-variants.ts";

async function freshHome(): Promise<Home> {
  const home = await Home.create();
  onTestFinished(async () => await home.remove());
  return home;
}

test("bench measures a model, and the same one on another server", async () => {
  const home = await freshHome();
  // The server itself is the other one.
  await home.call(["run", "tiny", "Hello!"]);
  const { code, output, errors } = await home.call([
    "bench",
    "tiny",
    "--compare",
    home.url,
    "--json",
  ]);
  expect(code, errors).toBe(0);
  const figures = JSON.parse(output) as Record<string, unknown>[];
  expect(figures).toHaveLength(2);
  for (const each of figures) {
    expect(each).toMatchObject({
      model: expect.stringContaining("tiny"),
      coldMs: expect.any(Number),
      warmMs: expect.any(Number),
      promptTokensPerSecond: expect.any(Number),
      memoryBytes: expect.any(Number),
    });
  }
  expect(figures[0]).toMatchObject({ server: "modelctl", expected: { low: expect.any(Number) } });
  expect(errors).toContain("tiny: first token, cold\n");
  const unknown = await home.call(["bench", "nobody"]);
  expect(unknown).toMatchObject({ code: 3, output: "" });
});

test("list --outdated names models whose repository has another file by now", async () => {
  const home = await freshHome();
  const files = { "one-Q8_0.gguf": numberedTiny(3) };
  const hub = await startLoopbackHub({ repositories: { "maker/one": { files } } });
  onTestFinished(async () => await hub.close());
  const environment = { HF_ENDPOINT: hub.url };
  await home.call(["pull", "hf.co/maker/one:Q8_0"], { environment });
  const current = await home.call(["list", "--outdated"], { environment });
  expect(current).toMatchObject({ code: 0, output: "" });
  await hub.setFile("maker/one", "one-Q8_0.gguf", numberedTiny(4));
  const { output, errors } = await home.call(["list", "--outdated"], { environment });
  expect(output, errors).toMatch(
    /^hf\.co\/maker\/one:Q8_0 +1\.9 MB +modelctl pull hf\.co\/maker\/one:Q8_0$/m,
  );
  const gone = await home.call(["list", "--outdated"], {
    environment: { HF_ENDPOINT: "http://127.0.0.1:9" },
  });
  expect(gone).toMatchObject({
    code: 8,
    errors: expect.stringContaining("hf.co/maker/one:Q8_0: "),
  });
});
