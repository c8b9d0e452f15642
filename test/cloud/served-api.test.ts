// Tests which API an app is shown with: what its server answered, else what its script suggests.
import { describe, expect, test } from "vitest";
import { apiOfScript, apiOfServer } from "../../source/cloud/served-api.ts";
import { deployment } from "./support/open-control-plane.ts";

const { inspection } = deployment("");
const endpoints = [
  { path: "/predict", method: "POST" },
  { path: "/live", method: "WebSocket" },
];

describe("a server that has answered", () => {
  test("can chat if it lists models, even with endpoints of its own", () => {
    const api = { kind: "openai", model: "maker/one" };
    expect(apiOfServer(inspection, ["maker/one", "two"])).toEqual(api);
    expect(apiOfServer({ ...inspection, endpoints }, ["maker/one"])).toEqual(api);
  });

  test("is called at its endpoints, or at its address, if it lists none", () => {
    const command = ["vllm", "serve", "maker/one"];
    expect(apiOfServer({ ...inspection, command }, [])).toEqual({ kind: "http" });
    const api = { kind: "endpoints", paths: ["/predict"] };
    expect(apiOfServer({ ...inspection, endpoints }, [])).toEqual(api);
  });
});

test.each([
  [["vllm", "serve", "maker/model", "--port", "8000"], [], "maker/model"],
  [["python", "-m", "sglang.launch_server", "--model", "maker/model"], [], "maker/model"],
  [["llama-server", "--port", "8000"], [{ name: "MODEL_NAME", value: "now" }], "now"],
  [["vllm"], [{ name: "MODEL_NAME", default: "usual" }], "usual"],
  [["vllm"], [{ name: "REMODELLED", value: "no" }], "MODEL"],
])("a script that starts %j suggests its model", (command, env_read, model) => {
  const api = { kind: "openai", model };
  expect(apiOfScript({ ...inspection, command, env_read })).toEqual(api);
});

test("a script that starts no model server suggests none", () => {
  expect(apiOfScript({ ...inspection, command: ["node", "serve.js"] })).toEqual({ kind: "http" });
});
