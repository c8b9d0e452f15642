// Tests the deployment and the command that answers describe, and changes to the active revision.
import { describe, expect, test } from "vitest";
import { parseTimeSpan } from "../../../../source/base/duration.ts";
import {
  appPlaceOf,
  configAnswersOf,
  deployAnswersOf,
  type GivenValues,
  withoutSecrets,
} from "../../../../source/ui/screens/deploy/answers.ts";
import { commandOf, differencesOf } from "../../../../source/ui/screens/deploy/review-pages.ts";
import { presets, writeTime } from "../../../../source/ui/screens/deploy/settings.ts";
import { pageOf } from "../../../../source/ui/screens/deploy/steps.ts";
import { inspectionOf, rules, stateOf } from "./sample-answers.ts";

const base = rules.config(inspectionOf(), {});

function command(given: GivenValues, profile?: string): string | undefined {
  const state = stateOf("review", { ...given, ...(profile !== undefined && { profile }) });
  return commandOf(state);
}

describe("the answers as a deployment", () => {
  test("contain only what differs from the script", () => {
    const given = {
      maxConcurrency: "2",
      maxMultiplexing: "8",
      auth: "private",
      keepAliveMs: "60s",
    };
    expect(configAnswersOf(given, base)).toEqual({ scale: { maxMultiplexing: 8 } });
  });

  test("assign counts, times, hardware, variables and secrets", () => {
    const given = {
      minConcurrency: "1",
      keepAliveMs: "5m",
      requestTimeoutMs: "90s",
      drainTimeoutMs: "1h30m",
      machineType: "GPU-H100",
      gpuCount: "2",
      auth: "public",
      "variable:MODEL_NAME": "other",
      "variable:EMPTY": "",
      secretNames: "HF_TOKEN, OTHER",
    };
    expect(configAnswersOf(given, base)).toEqual({
      auth: "public",
      scale: { minConcurrency: 1, keepAliveMs: 300_000 },
      limits: { requestTimeoutMs: 90_000, drainTimeoutMs: 5_400_000 },
      machineType: "GPU-H100",
      gpuCount: 2,
      environment: { MODEL_NAME: "other" },
      secretNames: ["HF_TOKEN", "OTHER"],
    });
  });

  test("keep a GPU count that another machine type would drop", () => {
    const inspection = inspectionOf({ config: { machine_type: "GPU-H100", num_gpus: 1 } });
    const gpus = rules.config(inspection, {});
    expect(configAnswersOf({ gpuCount: "1" }, gpus)).toEqual({});
    const any = { machineType: "any", gpuCount: "1" };
    expect(configAnswersOf(any, gpus)).toEqual({ machineType: "any", gpuCount: 1 });
  });

  test("name the function, and no app name if one is to be generated", () => {
    const given = { script: " serve.py ", target: "chat", name: "", mode: "run" };
    const target = { organisation: "acme", machineType: "any", environment: undefined };
    const place = appPlaceOf(given, target, rules);
    expect(deployAnswersOf(given, base, target, place)).toMatchObject({
      config: { machineType: "any" },
      reference: "serve.py::chat",
      appName: undefined,
      environmentName: "main",
      organisation: "acme",
      isEphemeral: true,
    });
  });
});

describe("the command", () => {
  test("is equivalent, with only the differences", () => {
    expect(command({ script: "deploy.py", name: "chat" })).toBe(
      "deployctl deploy deploy.py --app-name chat",
    );
    const given = { script: "a b.py", target: "serve", name: "chat", auth: "shared" };
    expect(command({ ...given, maxConcurrency: "8", gpuCount: "1" }, "lab")).toBe(
      "deployctl deploy 'a b.py::serve' --app-name chat --profile lab --auth shared --gpus 1 --max-concurrency 8",
    );
  });

  test("names a chosen environment", () => {
    expect(command({ script: "deploy.py", name: "chat", environment: "staging" })).toBe(
      "deployctl deploy deploy.py --app-name chat --environment staging",
    );
  });

  test("never contains a secret's value", () => {
    const text = command({
      script: "deploy.py",
      "variable:API_TOKEN": "hunter2",
      "variable:GREETING": "it's me",
    });
    expect(text).not.toContain("hunter2");
    expect(text).toContain('--env API_TOKEN="$API_TOKEN"');
    expect(text).toContain("--env 'GREETING=it'\\''s me'");
  });

  test("for a run leaves out settings of permanent apps", () => {
    const given = { script: "deploy.py", name: "", mode: "run", maxConcurrency: "8" };
    expect(command({ ...given, startupTimeoutMs: "20s" })).toBe(
      "deployctl run deploy.py --startup-timeout 20s",
    );
  });
});

describe("changes of a deployment", () => {
  test("are none for the same settings", () => {
    expect(differencesOf(base, rules.config(inspectionOf(), {}), rules.looksSecret)).toEqual([]);
  });

  test("are listed setting by setting, without secrets", () => {
    const after = {
      ...rules.config(inspectionOf(), { scale: { maxConcurrency: 9 }, auth: "public" }),
      earlyStream: true,
      environment: { MODEL_NAME: "other", API_KEY: "one" },
    };
    const before = { ...base, environment: { MODEL_NAME: "tiny", API_KEY: "two", OLD: "1" } };
    const differences = differencesOf(before, after, rules.looksSecret);
    expect(differences).toContainEqual({ label: "Access", before: "private", after: "public" });
    expect(differences).toContainEqual({ label: "Early stream", before: "off", after: "on" });
    expect(differences).toContainEqual({ label: "Max replicas", before: "2", after: "9" });
    expect(differences).toContainEqual({ label: "MODEL_NAME", before: "tiny", after: "other" });
    expect(differences).toContainEqual({ label: "OLD", before: "1", after: undefined });
    const secret = differences.find(({ label }) => label === "API_KEY");
    expect(secret).toEqual({ label: "API_KEY", before: "(secret)", after: "(secret)" });
  });
});

describe("the preview", () => {
  test("shows replicas and queued requests at 10, 50 and 200 concurrent requests", () => {
    const config = { max_concurrency: 4, max_multiplexing: 8, target_utilization: 1 };
    const state = stateOf("scaling", {}, {}, inspectionOf({ config }));
    const { lines } = pageOf(state);
    const rows = lines.map(({ text }) => text.trim().split(/ +/));
    expect(rows.slice(0, 3)).toEqual([
      ["10", "50", "200"],
      ["2", "4", "4"],
      ["0", "18", "168"],
    ]);
    expect(lines[3]?.text).toContain("At 200 concurrent requests 168 would queue");
  });

  test("has presets that deployctl accepts", () => {
    const scales = presets.map(({ texts }) =>
      rules.config(inspectionOf(), configAnswersOf(texts, base)),
    );
    expect(scales.map(({ scale }) => [scale.minConcurrency, scale.maxConcurrency])).toEqual([
      [0, 1],
      [1, 4],
      [0, 8],
    ]);
    expect(scales[2]?.scale.concurrencyBuffer).toBe(1);
  });
});

test("times are written as they are read", () => {
  for (const milliseconds of [0, 250, 60_000, 5_400_000]) {
    expect(parseTimeSpan(writeTime(milliseconds))).toBe(milliseconds);
  }
});

test("a draft keeps no secret", () => {
  const given = {
    script: "deploy.py",
    "variable:MODEL_NAME": "tiny",
    "variable:API_TOKEN": "hunter2",
    newVariable: "MY_KEY=hunter3",
  };
  const kept = { script: "deploy.py", "variable:MODEL_NAME": "tiny" };
  expect(withoutSecrets(given, rules)).toEqual(kept);
});
