// Tests that a copied command repeats the request exactly and contains no key. Runs it in a real shell.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { curlCommand } from "../../../../source/ui/screens/server/curl-command.ts";
import { requestView } from "../../support/request-views.ts";

describe("the curl command", () => {
  const body = JSON.stringify({
    model: "tiny",
    messages: [{ role: "user", content: "it's $HOME" }],
  });

  test("sends exactly the same body, without any key", async () => {
    const command = curlCommand(requestView(), { url: "http://127.0.0.1:1", body, needsKey: true });
    expect(command).toContain("Bearer $MODELCTL_KEY");
    // A shell function replaces curl and prints its arguments, one per line.
    const script = `curl() { printf '%s\\n' "$@"; }\nMODELCTL_KEY=secret\n${command}`;
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", script]);
    expect(stdout.trimEnd().split("\n")).toEqual([
      "http://127.0.0.1:1/v1/chat/completions",
      "-H",
      "Authorization: Bearer secret",
      "-H",
      "content-type: application/json",
      "-d",
      body,
    ]);
  });

  test("of a request without a recorded body has what is known", () => {
    const native = requestView({ path: "/api/chat" });
    const command = curlCommand(native, { url: "http://h", body: undefined, needsKey: false });
    expect(command).toContain('"model":"tiny"');
    expect(command).toContain('"options":{"temperature":0.7}');
    const read = requestView({ method: "GET", path: "/v1/models" });
    expect(curlCommand(read, { url: "http://h", body: undefined, needsKey: false })).toBe(
      "curl http://h/v1/models",
    );
  });
});
