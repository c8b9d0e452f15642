// The metrics that Prometheus reads.
import { expect, test } from "vitest";
import type { LoadedModelSample } from "../../source/metrics/machine-monitor.ts";
import { ServerMetrics } from "../../source/metrics/server-metrics.ts";

const idle: LoadedModelSample = {
  name: "tiny:latest",
  names: ["tiny:latest"],
  state: "idle",
  running: 0,
  waiting: 0,
  ramBytes: 1000,
  vramBytes: 0,
  slots: 4,
  contextLength: 4096,
  cacheBytes: 500,
  cacheType: "f16",
  expiresAt: undefined,
  loadFraction: 1,
};

async function lines(metrics: ServerMetrics): Promise<string[]> {
  return (await metrics.text()).split("\n");
}

test("every name has the program's prefix, and the process is included", async () => {
  const all = await lines(new ServerMetrics(() => [idle]));
  const names = all.filter((line) => line !== "" && !line.startsWith("#"));
  expect(names.filter((line) => !line.startsWith("modelctl_"))).toEqual([]);
  expect(all).toContainEqual(expect.stringMatching(/^modelctl_process_resident_memory_bytes \d/));
});

test("requests are counted by method, route and status, and while they run", async () => {
  const metrics = new ServerMetrics(() => []);
  metrics.requestBegan();
  metrics.requestBegan();
  metrics.requestEnded("POST", "/api/chat", 200, 1500);
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      'modelctl_requests_total{method="POST",route="/api/chat",status="200"} 1',
      'modelctl_request_duration_seconds_bucket{le="1",route="/api/chat"} 0',
      'modelctl_request_duration_seconds_bucket{le="2.5",route="/api/chat"} 1',
      "modelctl_requests_in_flight 1",
    ]),
  );
});

test("answers add to tokens, times and speeds", async () => {
  const metrics = new ServerMetrics(() => []);
  metrics.tokensGenerated("tiny:latest", 5);
  metrics.tokensGenerated("tiny:latest", 6);
  metrics.tokensGenerated("other:latest", 1);
  metrics.firstTokenAfter(80);
  metrics.answerEnded({
    model: "tiny:latest",
    promptTokens: 30,
    cachedTokens: 20,
    completionTokens: 11,
    drafted: 9,
    accepted: 7,
    queueMs: 300,
    completionMs: 1000,
  });
  expect([...metrics.generatedTokens]).toEqual([
    ["tiny:latest", 11],
    ["other:latest", 1],
  ]);
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      'modelctl_prompt_tokens_total{model="tiny:latest"} 30',
      'modelctl_cached_prompt_tokens_total{model="tiny:latest"} 20',
      'modelctl_completion_tokens_total{model="tiny:latest"} 11',
      'modelctl_drafted_tokens_total{model="tiny:latest"} 9',
      'modelctl_accepted_tokens_total{model="tiny:latest"} 7',
      'modelctl_time_to_first_token_seconds_bucket{le="0.1"} 1',
      'modelctl_time_to_first_token_seconds_bucket{le="0.05"} 0',
      "modelctl_decode_tokens_per_second_sum 10",
      "modelctl_queue_seconds_sum 0.3",
    ]),
  );
});

test("an answer cut off before its second token has no speed", async () => {
  const metrics = new ServerMetrics(() => []);
  const figures = {
    model: "m",
    promptTokens: 1,
    cachedTokens: 0,
    drafted: 0,
    accepted: 0,
    queueMs: undefined,
  };
  metrics.answerEnded({ ...figures, completionTokens: 1, completionMs: 0 });
  metrics.answerEnded({ ...figures, completionTokens: 0, completionMs: undefined });
  const all = await lines(metrics);
  expect(all).toContain("modelctl_decode_tokens_per_second_count 0");
  expect(all).toContain("modelctl_queue_seconds_count 0");
});

test("models are reported as they are when the metrics are read", async () => {
  let models: LoadedModelSample[] = [{ ...idle, state: "busy", running: 4, waiting: 9 }];
  const metrics = new ServerMetrics(() => models);
  metrics.modelLoaded(700);
  metrics.modelEvicted();
  metrics.runnerCrashed();
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      'modelctl_queue_length{model="tiny:latest"} 9',
      'modelctl_loaded_models{model="tiny:latest",state="busy"} 1',
      'modelctl_model_memory_bytes{model="tiny:latest",kind="ram"} 1000',
      "modelctl_model_load_seconds_count 1",
      "modelctl_model_evictions_total 1",
      "modelctl_runner_crashes_total 1",
    ]),
  );
  models = [];
  expect(await metrics.text()).not.toContain("tiny:latest");
});

test("the lag of the event loop is a number from the first reading on, however soon the next", async () => {
  const metrics = new ServerMetrics(() => []);
  const lags = async () =>
    (await lines(metrics))
      .filter((line) => line.startsWith("modelctl_nodejs_eventloop_lag"))
      .map((line) => Number(line.split(" ")[1]));
  for (const look of [await lags(), await lags()]) {
    expect(look).toHaveLength(8);
    for (const seconds of look) {
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThan(3600);
    }
  }
});

test("two servers in one process count separately", async () => {
  const [first, second] = [new ServerMetrics(() => []), new ServerMetrics(() => [])];
  first.modelEvicted();
  expect(await lines(second)).toContain("modelctl_model_evictions_total 0");
});
