// modelctl bench and update, and list --outdated.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Home } from "../support/command-line.ts";
import { startLoopbackHub } from "../support/loopback-hub.ts";
import { numberedTiny } from "../support/tiny-variants.ts";
import { until } from "../support/until.ts";

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

test("an interrupted bench keeps the figures that it has", async () => {
  const home = await freshHome();
  let isAsked = false;
  const silent = createServer((request, reply) => {
    if (request.url === "/v1/models") reply.end(JSON.stringify({ data: [{ id: "tiny" }] }));
    // Answers to chats never come.
    else if (request.url === "/v1/chat/completions") isAsked = true;
    else reply.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close().closeAllConnections());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const { child, ended } = home.start(["bench", "tiny", "--compare", `127.0.0.1:${port}`]);
  await until(
    () => isAsked,
    (asked) => asked,
  );
  child.kill("SIGINT");
  const { code, output, errors } = await ended;
  expect(code, errors).toBe(130);
  expect(errors).toMatch(/Stopped; figures that are missing were not measured\.\n$/);
  expect(output).toMatch(/^tiny( +[\d.]+ m?s){2} +\d.* MiB +\d/m);
  expect(output).not.toContain(`${port}`);
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
