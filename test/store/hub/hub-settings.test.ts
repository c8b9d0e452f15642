// Hub address, token and proxy, read from the environment as the hub's own tools read it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readHubSettings } from "../../../source/store/hub/hub-settings.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "modelctl-hub-settings-"));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

async function tokenOf(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { token } = await readHubSettings({ HOME: home, ...environment });
  return token?.authorization();
}

function writeToken(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe("the endpoint", () => {
  test.each([
    [undefined, "https://huggingface.co"],
    ["", "https://huggingface.co"],
    ["https://mirror.example/", "https://mirror.example"],
    [" http://127.0.0.1:8080/hub/ ", "http://127.0.0.1:8080/hub"],
  ])("%j is %s", async (text, endpoint) => {
    const settings = await readHubSettings({ HOME: home, HF_ENDPOINT: text });
    expect(settings.endpoint).toBe(endpoint);
  });

  test("with a password is refused", async () => {
    const refusal = readHubSettings({ HOME: home, HF_ENDPOINT: "https://u:p@mirror.example" });
    await expect(refusal).rejects.toMatchObject({
      message:
        '"https://mirror.example" is not the address of a hub: it must be a host and a path.',
    });
  });

  test.each(["mirror.example", "ftp://mirror.example", "https://a/?q=1", "https://u:p@a"])(
    "%s is refused without repeating a possible password",
    async (text) => {
      const refusal = readHubSettings({ HOME: home, HF_ENDPOINT: text });
      await expect(refusal).rejects.toMatchObject({
        code: "STORE_HUB_SETTING_INVALID",
        message: expect.not.stringContaining("u:p@"),
      });
    },
  );

  test("of a flag overrides the environment", async () => {
    const environment = { HOME: home, HF_ENDPOINT: "https://one.example" };
    const settings = await readHubSettings(environment, { endpoint: "https://two.example" });
    expect(settings.endpoint).toBe("https://two.example");
  });
});

describe("the token", () => {
  test("is absent by default", async () => {
    expect(await tokenOf({})).toBeUndefined();
  });

  test("comes from HF_TOKEN before any file", async () => {
    writeToken(path.join(home, ".cache/huggingface/token"), "hf_file");
    expect(await tokenOf({ HF_TOKEN: " hf_variable\n" })).toBe("Bearer hf_variable");
  });

  test("comes from the hub command line's file", async () => {
    writeToken(path.join(home, ".cache/huggingface/token"), "hf_file\n");
    expect(await tokenOf({})).toBe("Bearer hf_file");
  });

  test.each([
    ["HF_TOKEN_PATH", "elsewhere", "elsewhere"],
    ["HF_HOME", "hub", "hub/token"],
    ["XDG_CACHE_HOME", "cache", "cache/huggingface/token"],
  ])("file is found through %s", async (name, value, file) => {
    writeToken(path.join(home, ".cache/huggingface/token"), "hf_usual");
    writeToken(path.join(home, file), "hf_named");
    expect(await tokenOf({ [name]: path.join(home, value) })).toBe("Bearer hf_named");
  });

  test("that is not a single word is refused, without printing it", async () => {
    const refusal = readHubSettings({ HOME: home, HF_TOKEN: "hf_secret\r\nX-Other: 1" });
    await expect(refusal).rejects.toMatchObject({
      code: "STORE_HUB_SETTING_INVALID",
      message: expect.not.stringContaining("secret"),
    });
  });

  test("file that cannot be read is remembered", async () => {
    mkdirSync(path.join(home, ".cache/huggingface/token"), { recursive: true });
    const settings = await readHubSettings({ HOME: home });
    expect(settings).toMatchObject({ tokenProblem: expect.stringContaining("EISDIR") });
  });

  test("is never printed", async () => {
    const settings = await readHubSettings({ HOME: home, HF_TOKEN: "hf_secret" });
    const printed = [
      inspect(settings, { depth: 9 }),
      JSON.stringify(settings),
      `${settings.token}`,
    ];
    expect(printed.join()).not.toContain("secret");
  });
});

describe("proxies", () => {
  test("are read in either case, with or without a scheme", async () => {
    const { proxy } = await readHubSettings({
      HOME: home,
      https_proxy: "proxy.example:3128",
      HTTP_PROXY: "http://u:p@other.example:80",
      no_proxy: "localhost,.example",
    });
    expect(proxy).toEqual({
      http: "http://u:p@other.example/",
      https: "http://proxy.example:3128/",
      except: "localhost,.example",
    });
  });

  test.each(["socks", "socks5", "socks5h"])("may use %s", async (scheme) => {
    const { proxy } = await readHubSettings({
      HOME: home,
      ALL_PROXY: `${scheme}://127.0.0.1:1080`,
    });
    expect(proxy).toMatchObject({ http: "socks5://127.0.0.1:1080", https: proxy.http });
  });

  test("with invalid addresses are refused without the password", async () => {
    const refusal = readHubSettings({ HOME: home, HTTPS_PROXY: "gopher://u:p@proxy" });
    await expect(refusal).rejects.toMatchObject({
      code: "STORE_HUB_SETTING_INVALID",
      message: expect.not.stringContaining("u:p"),
    });
  });
});

test("HF_HUB_OFFLINE is read", async () => {
  expect((await readHubSettings({ HOME: home, HF_HUB_OFFLINE: "1" })).offline).toBe(true);
  expect((await readHubSettings({ HOME: home, HF_HUB_OFFLINE: "0" })).offline).toBe(false);
});
