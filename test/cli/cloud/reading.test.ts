// Parsing of flags and settings: addresses, encryption, times, counts and pairs.
import { describe, expect, test } from "vitest";
import { deployctlProgram } from "../../../source/cli/cloud/deployctl-program.ts";
import type { Flags } from "../../../source/cli/cloud/flags.ts";
import { readDeployment } from "../../../source/cli/cloud/read-deployment.ts";
import { readServer } from "../../../source/cli/cloud/read-server.ts";
import { readPairs, readVariables } from "../../../source/cli/cloud/read-values.ts";
import type { Session } from "../../../source/cli/cloud/session.ts";
import { upArguments } from "../../../source/cli/cloud/target.ts";
import { readCommandLine, readFlagValue } from "../../../source/cli/program/read-command-line.ts";
import type { CloudSettingName } from "../../../source/configuration/cloud-settings.ts";

const usage = expect.objectContaining({ code: "COMMAND_USAGE", exitCode: 2 });

function session(
  values: Partial<Record<CloudSettingName, string>> = {},
  flags: Flags = {},
): Session {
  const settings = Object.entries(values).map(([name, value]) => [name, { value, origin: "test" }]);
  return {
    flags,
    settings: Object.fromEntries(settings),
    stateFolder: "/state",
    profileFile: "/profiles.toml",
    profiles: { current: "local", profiles: {} },
    profileName: "local",
    profile: {},
  };
}

describe("a server", () => {
  test("listens only on this machine, unencrypted", () => {
    expect(readServer(session())).toMatchObject({
      stateFolder: "/state",
      organisation: "local",
      listeners: [{ host: "127.0.0.1", port: 8480, encryption: { kind: "none" } }],
      adminListeners: [],
      trustedProxies: { isEmpty: true },
    });
  });

  test.each([
    [":9000", { host: "127.0.0.1", port: 9000 }],
    ["localhost", { host: "localhost", port: 8480 }],
    ["[::1]:9000", { host: "::1", port: 9000 }],
    ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
  ])("listens on %s", (listen, expected) => {
    expect(readServer(session({ listen })).listeners[0]).toMatchObject(expected);
  });

  test("uses encryption once it is public, unless turned off", () => {
    const open = { listen: "0.0.0.0", "base-url": "https://models.example.org/" };
    expect(readServer(session(open))).toMatchObject({
      baseUrl: "https://models.example.org",
      listeners: [
        {
          port: 8443,
          encryption: {
            kind: "self-signed",
            names: expect.arrayContaining(["models.example.org"]),
          },
        },
      ],
    });
    const insecure = readServer(session(open, { insecureHttp: true }));
    expect(insecure.listeners[0]).toMatchObject({
      port: 8480,
      encryption: { kind: "none" },
      allowsPlainHttp: true,
    });
  });

  test("accepts remote commands with the gateway's certificate or its own", () => {
    const files = { "tls-cert": "/a.pem", "tls-key": "/b.pem", "admin-listen": "0.0.0.0:9001" };
    expect(readServer(session(files)).adminListeners).toMatchObject([
      { host: "0.0.0.0", port: 9001, encryption: { kind: "files", certificateFile: "/a.pem" } },
    ]);
    expect(readServer(session({ "admin-listen": "10.0.0.1" })).adminListeners).toMatchObject([
      { port: 8481, encryption: { kind: "self-signed" } },
    ]);
  });

  test.each([
    [{ listen: "nowhere:port" }],
    [{ listen: "127.0.0.1:70000" }],
    [{ listen: "http://127.0.0.1" }],
    [{ tls: "please" }],
    [{ "tls-cert": "/a.pem" }],
    [{ tls: "self-signed", "tls-cert": "/a.pem", "tls-key": "/b.pem" }],
    [{ "base-url": "models.example.org" }],
    [{ "base-url": "https://a.example?x=1" }],
    [{ "port-range": "80-90" }],
    [{ "port-range": "30000-20000" }],
    [{ "port-range": "20000" }],
  ])("does not start with %j", (settings) => {
    expect(() => readServer(session(settings))).toThrow(usage);
  });

  test("trusts proxies that are addresses", () => {
    const { trustedProxies } = readServer(session({ "behind-proxy": "10.0.0.0/8,127.0.0.1" }));
    expect(trustedProxies?.has("10.1.2.3")).toBe(true);
    const names = session({ "behind-proxy": "10.0.0.0/8,proxy.lan" });
    expect(() => readServer(names)).toThrow(
      expect.objectContaining({ code: "CLOUD_REQUEST_INVALID", exitCode: 2 }),
    );
  });

  test("in the background gets every option of the call, with absolute paths", () => {
    const words = upArguments(
      session({ "tls-cert": "a.pem", org: "acme" }, { insecureHttp: true }),
    );
    expect(words).toEqual([
      ...["--profile", "local", "--state-dir", "/state", "--org", "acme"],
      ...["--tls-cert", `${process.cwd()}/a.pem`, "--insecure-http"],
    ]);
  });
});

describe("values", () => {
  test("of times have units, or are seconds", () => {
    const times = ["90", "90s", "1h30m", "30d", "0", "250ms"].map((text) =>
      readFlagValue("--x", { type: "time", text: "" }, text),
    );
    expect(times).toEqual([90_000, 90_000, 5_400_000, 2_592_000_000, 0, 250]);
    for (const text of ["soon", "-1", "1 week", "d"]) {
      expect(() => readFlagValue("--x", { type: "time", text: "" }, text)).toThrow(usage);
    }
  });

  test("of zero are refused for times that must last", async () => {
    for (const text of ["0", "0d"]) {
      const argv = ["keys", "create", "--scope", "api", "--expires", text];
      const line = readCommandLine(deployctlProgram, argv);
      if (line.kind !== "run") throw new Error("help was not asked for");
      const run = await line.command.load();
      await expect(run(line.words, line.flags, deployctlProgram, [])).rejects.toThrow(usage);
    }
  });

  test("of counts have limits", () => {
    const count = { type: "integer", text: "", least: 1, most: 1_000_000 } as const;
    expect(readFlagValue("--x", count, "3")).toBe(3);
    for (const text of ["0", "-1", "1.5", "1e3", "many", "9999999999"]) {
      expect(() => readFlagValue("--x", count, text)).toThrow(usage);
    }
  });

  test("of pairs keep everything after the first equals sign", () => {
    expect(readPairs("--env", ["A=1=2", "B=", "A=3"])).toEqual({ A: "3", B: "" });
    for (const text of ["A", "=1"]) expect(() => readPairs("--env", [text])).toThrow(usage);
    for (const text of ["1A=x", "A-B=x", "A B=x"]) {
      expect(() => readVariables("--env", [text])).toThrow(usage);
    }
  });

  test("of variables are refused for those that deployctl sets", () => {
    for (const text of ["PORT=1", "DEPLOYCTL_PORT=1", "DEPLOYCTL_NONCE=x"]) {
      expect(() => readVariables("--env", [text])).toThrow(usage);
    }
    const switches = { DEPLOYCTL_REAL_FAL: "1", MY_PORT: "1" };
    expect(readVariables("--env", ["DEPLOYCTL_REAL_FAL=1", "MY_PORT=1"])).toEqual(switches);
  });
});

describe("a deployment", () => {
  test("contains only what its flags say", () => {
    const wishes = readDeployment(
      session(
        { "machine-type": "any" },
        {
          appName: "acme/chat",
          env: ["A=1"],
          secret: ["S"],
          maxConcurrency: 4,
          keepAlive: 120_000,
          startupTimeout: 30_000,
          sseKeepalive: 15_000,
          modelsCache: "on",
          earlyStream: "off",
          annotation: ["ticket=7"],
        },
      ),
      "app.py::serve",
    );
    expect(wishes).toMatchObject({
      reference: "app.py::serve",
      appName: "chat",
      organisation: "acme",
      annotations: { ticket: "7" },
      config: {
        machineType: "any",
        environment: { A: "1" },
        secretNames: ["S"],
        scale: { maxConcurrency: 4, keepAliveMs: 120_000 },
        limits: { startupTimeoutMs: 30_000 },
        sseKeepAliveMs: 15_000,
        modelsCache: true,
        earlyStream: false,
      },
    });
    expect(Object.keys(wishes.config.scale ?? {})).toEqual(["maxConcurrency", "keepAliveMs"]);
  });

  test.each([
    "--auth=open",
    "--strategy=fast",
    "--port=0",
    "--health-path=health",
    "--cold-start=never",
    "--models-cache=perhaps",
    "--early-stream=true",
    "--max-concurrency=0",
    "--annotation=ticket",
  ])("is refused with %s", (word) => {
    const read = () => {
      const line = readCommandLine(deployctlProgram, ["deploy", "app.py", word]);
      readDeployment(session({}, line.kind === "run" ? line.flags : {}), "app.py");
    };
    expect(read).toThrow(usage);
  });
});
