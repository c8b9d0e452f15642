// Requests that carry the token, and their route: direct, through a proxy, through TLS.
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { startLoopbackHub } from "../../support/loopback-hub.ts";
import { loopbackCertificate } from "../../support/loopback-hub-certificate.ts";
import { type LoopbackProxy, startLoopbackProxy } from "../../support/loopback-hub-proxy.ts";
import { newFolder, openHub, openHubWith, pull, quick, settingsFor } from "./pulling.ts";

const trusted = getCACertificates();

afterEach(() => {
  setDefaultCACertificates(trusted);
});

function trustLoopbackHub(): void {
  setDefaultCACertificates([...trusted, loopbackCertificate.cert]);
}

async function openProxy(credentials?: string): Promise<LoopbackProxy> {
  const proxy = await startLoopbackProxy(credentials);
  onTestFinished(() => proxy.close());
  return proxy;
}

const guarded = {
  repositories: {
    "owner/name": {
      files: { "a-Q4_K_M.gguf": { generatedBytes: 3_000_000 } },
      access: "private" as const,
      readers: ["hf_secret"],
    },
  },
};

describe("the token", () => {
  test("is sent to the hub with every request, and never to file storage", async () => {
    const hub = await openHub(guarded);
    const settings = await settingsFor(hub, { HF_TOKEN: "hf_secret" });
    await pull(hub, newFolder(), { settings });
    const seen = (server: string) =>
      new Set(hub.requests.filter((one) => one.server === server).map((one) => one.authorization));
    expect(seen("hub")).toEqual(new Set(["Bearer hf_secret"]));
    expect(seen("storage")).toEqual(new Set([undefined]));
  });

  test("is in no error and no report", async () => {
    const hub = await openHub(guarded);
    const settings = await settingsFor(hub, { HF_TOKEN: "hf_secret" });
    const said: unknown[] = [];
    for (const status of [400, 401, 403, 404, 429, 500]) {
      hub.setFaults(({ server }) => (server === "storage" ? { status } : undefined));
      const onProgress = (progress: unknown) => said.push(progress);
      await pull(hub, newFolder(), { settings, onProgress }).catch((error: unknown) =>
        said.push(error, error instanceof ProductError && error.sentence),
      );
      hub.setFaults(() => ({ status }));
      await pull(hub, newFolder(), { settings, onProgress }).catch((error: unknown) =>
        said.push(error, error instanceof ProductError && error.sentence),
      );
    }
    const { inspect } = await import("node:util");
    expect(said.length).toBeGreaterThan(12);
    expect(inspect(said, { depth: 12 })).not.toContain("hf_secret");
    expect(inspect(said, { depth: 12 })).not.toContain("signature=");
  });
});

describe("a proxy", () => {
  test("forwards requests to http addresses", async () => {
    const [hub, proxy] = [await openHubWith(3_000_000), await openProxy()];
    const settings = await settingsFor(hub, { http_proxy: proxy.url });
    await pull(hub, newFolder(), { settings });
    expect(proxy.requests).toHaveLength(hub.requests.length);
  });

  test("tunnels requests to https addresses", async () => {
    trustLoopbackHub();
    const hub = await openHub({ ...guarded, isSecure: true });
    const proxy = await openProxy("name:pass word");
    const settings = await settingsFor(hub, {
      HF_TOKEN: "hf_secret",
      HTTPS_PROXY: proxy.url.replace("//", "//name:pass%20word@"),
    });
    await pull(hub, newFolder(), { settings });
    expect(new Set(proxy.requests)).toEqual(
      new Set([hub.url, hub.storageUrl].map((url) => `CONNECT ${new URL(url).host}`)),
    );
  });

  test("is not used for hosts in NO_PROXY", async () => {
    const [hub, proxy] = [await openHubWith(1000), await openProxy()];
    const settings = await settingsFor(hub, { HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" });
    await pull(hub, newFolder(), { settings });
    expect(proxy.requests).toEqual([]);
  });

  test("from the process's environment is not used when the settings name none", async () => {
    const [hub, proxy] = [await openHubWith(1000), await openProxy()];
    process.env.http_proxy = proxy.url;
    onTestFinished(() => void delete process.env.http_proxy);
    await pull(hub, newFolder());
    expect(proxy.requests).toEqual([]);
  });

  test("whose name cannot be resolved is named", async () => {
    const hub = await openHubWith(1000);
    const settings = await settingsFor(hub, { HTTP_PROXY: "http://proxy.invalid:3128" });
    await expect(pull(hub, newFolder(), { settings })).rejects.toMatchObject({
      code: "STORE_HUB_OFFLINE",
      message: expect.stringMatching(/^The proxy proxy\.invalid, used for /),
      hint: expect.stringContaining("HTTPS_PROXY"),
    });
  });

  // Either limit may be reached first.
  const late = /connecting timed out|no data for too long/;
  test.each<[string, string, RegExp, (socket: Socket) => void]>([
    [
      "http",
      "closes",
      /^The connection to the proxy at .* closed without a reply/,
      (it) => it.end(),
    ],
    ["http", "says nothing to", late, () => {}],
    ["socks5", "closes", late, (it) => it.end()],
    ["socks5", "says nothing to", late, () => {}],
  ])("with %s that %s clients asking for a tunnel is given up", async (scheme, _, says, answer) => {
    let connections = 0;
    const proxy = createServer((socket) => {
      connections += 1;
      socket.on("error", () => {}); // either side leaves whenever it likes
      socket.once("data", () => answer(socket));
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    const port = typeof address === "object" ? address?.port : 0;
    const settings = await settingsFor(
      { url: "https://hub.invalid" },
      { HTTPS_PROXY: `${scheme}://127.0.0.1:${port}` },
    );
    const hub = await openHubWith(1);
    const connection = { ...quick.connection, stallTimeoutMs: 300 };
    await expect(pull(hub, newFolder(), { settings, connection })).rejects.toMatchObject({
      code: "STORE_HUB_UNREACHABLE",
      message: expect.stringMatching(says),
    });
    expect(connections).toBeLessThanOrEqual(2 * quick.connection.retryPolicy.tries);
  });

  test("that does not answer is named, not the hub behind it", async () => {
    const hub = await openHubWith(1000);
    const gone = await startLoopbackProxy();
    await gone.close();
    const settings = await settingsFor(hub, { HTTP_PROXY: gone.url });
    await expect(pull(hub, newFolder(), { settings })).rejects.toMatchObject({
      code: "STORE_HUB_UNREACHABLE",
      message: expect.stringContaining(`the proxy at ${new URL(gone.url).host}, used for`),
    });
  });

  test.each([
    ["http", false],
    ["https", true],
  ])("that needs a password says so for %s", async (_, isSecure) => {
    if (isSecure) trustLoopbackHub();
    const hub = await startLoopbackHub({ repositories: {}, isSecure });
    onTestFinished(() => hub.close());
    const proxy = await openProxy("name:password");
    const settings = await settingsFor(hub, { ALL_PROXY: proxy.url });
    await expect(pull(hub, newFolder(), { settings })).rejects.toMatchObject({
      code: "STORE_HUB_UNREACHABLE",
      hint: expect.stringContaining("requires a password"),
    });
  });
});

describe("TLS", () => {
  test("with a trusted certificate fetches the file", async () => {
    trustLoopbackHub();
    const hub = await openHubWith(3_000_000, { isSecure: true });
    await pull(hub, newFolder());
  });

  test("with an untrusted certificate is refused at once, with advice", async () => {
    const hub = await openHubWith(1000, { isSecure: true });
    await expect(pull(hub, newFolder())).rejects.toMatchObject({
      code: "STORE_HUB_CERTIFICATE",
      exitCode: 8,
      hint: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    expect(hub.requests).toEqual([]);
  });

  test("is not given up for a redirect to plain HTTP", async () => {
    trustLoopbackHub();
    const hub = await openHubWith(1000, { isSecure: true });
    hub.setFaults(({ path }) =>
      path.includes("/resolve/")
        ? { status: 302, headers: { location: "http://127.0.0.1/a" } }
        : undefined,
    );
    await expect(pull(hub, newFolder())).rejects.toMatchObject({ code: "STORE_HUB_REPLY_INVALID" });
  });
});
