// Tests which API an app is shown with: what its server answered, else what its script suggests.
import { expect, test } from "vitest";
import { apiOfOtherServer, apiOfScript, servedModel } from "../../source/cloud/served-api.ts";
import { deployment } from "./support/open-control-plane.ts";

const { inspection, config } = deployment("");

test("a server that cannot chat is called at its endpoints, or at its address", () => {
  const command = ["vllm", "serve", "maker/one"];
  const vllm = { config, inspection: { ...inspection, command } };
  expect(apiOfOtherServer(vllm)).toEqual({ kind: "http" });
  const endpoints = [
    { path: "/predict", method: "POST" },
    { path: "/live", method: "WebSocket" },
  ];
  const own = { config, inspection: { ...inspection, endpoints } };
  expect(apiOfOtherServer(own)).toEqual({ kind: "endpoints", paths: ["/predict"] });
});

test.each([
  [["vllm", "serve", "maker/model", "--port", "8000"], [], {}, "maker/model"],
  [["python", "-m", "sglang.launch_server", "--model", "maker/model"], [], {}, "maker/model"],
  [["llama-server", "--port", "8000"], [{ name: "MODEL_NAME", value: "now" }], {}, "now"],
  [["vllm"], [{ name: "MODEL_NAME", default: "usual" }], {}, "usual"],
  [
    ["vllm"],
    [{ name: "MODEL_NAME", value: "now" }],
    { environment: { MODEL_NAME: "given" } },
    "given",
  ],
  [["modelctl", "serve"], [{ name: "MODEL_NAME", default: "usual" }], { model: "own" }, "own"],
  [["vllm"], [{ name: "REMODELLED", value: "no" }], {}, "MODEL"],
])("a script that starts %j, reads %j and has %j suggests %s", (command, env_read, own, model) => {
  const script = {
    inspection: { ...inspection, command, env_read },
    config: { ...config, ...own },
  };
  expect(apiOfScript(script)).toEqual({ kind: "openai", model });
});

test("a script that starts no model server suggests none", () => {
  const script = { config, inspection: { ...inspection, command: ["node", "serve.js"] } };
  expect(apiOfScript(script)).toEqual({ kind: "http" });
});

test("of the models that a server lists, the script's own is shown", () => {
  const script = { inspection, config: { ...config, model: "tiny" } };
  expect(servedModel(script, ["other:latest", "tiny:latest"])).toBe("tiny:latest");
  expect(servedModel(script, ["one", "two"])).toBe("one");
  expect(servedModel(script, [])).toBeUndefined();
});
