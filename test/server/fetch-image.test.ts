// Fetching an image for a client: its limits, and the addresses that are allowed.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPublicAddress } from "../../source/base/networks.ts";
import { fetchImage } from "../../source/server/fetch-image.ts";

const png = Buffer.from("89504e470d0a1a0a", "hex");
let server: Server;
let url: string;
const asked: string[] = [];

const replies: Record<string, (reply: ServerResponse) => void> = {
  "/image.png": (reply) => reply.setHeader("content-type", "image/png").end(png),
  "/untyped": (reply) => reply.setHeader("content-type", "application/octet-stream").end(png),
  "/moved": (reply) => reply.writeHead(302, { location: "/image.png" }).end(),
  "/loop": (reply) => reply.writeHead(302, { location: "/loop" }).end(),
  "/inside": (reply) => reply.writeHead(302, { location: "http://127.0.0.2:1/a.png" }).end(),
  "/file": (reply) => reply.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/large": (reply) => reply.end(Buffer.alloc(3000)),
  "/endless": (reply) => {
    reply.on("error", () => {});
    const write = () => {
      while (!reply.destroyed && reply.write(Buffer.alloc(500)));
    };
    reply.on("drain", write);
    write();
  },
};

beforeAll(async () => {
  server = createServer((request, reply) => {
    asked.push(request.url ?? "");
    const answer = replies[request.url ?? ""];
    if (answer === undefined) reply.writeHead(404).end();
    else answer(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const fetchFrom = (address: string, isAllowed?: (address: string) => boolean) =>
  fetchImage(address, {
    largestBytes: 2000,
    param: "messages.0.content.0",
    signal: new AbortController().signal,
    ...(isAllowed !== undefined && { isAllowed }),
  });
const here = (address: string) => address === "127.0.0.1";

describe("a remote image", () => {
  it("becomes a data URI with its content type", async () => {
    const base64 = png.toString("base64");
    expect(await fetchFrom(`${url}/image.png`, here)).toBe(`data:image/png;base64,${base64}`);
    expect(await fetchFrom(`${url}/moved`, here)).toBe(`data:image/png;base64,${base64}`);
    expect(await fetchFrom(`${url}/untyped`, here)).toBe(`data:;base64,${base64}`);
  });

  it.each([
    ["/nothing", /status 404/],
    ["/loop", /more than 3 times/],
    ["/inside", /not on the public internet/],
    ["/file", /not an http or https URL/],
  ])("at %s is refused", async (path, why) => {
    await expect(fetchFrom(url + path, here)).rejects.toMatchObject({
      code: "SERVER_IMAGE_REMOTE",
      status: 400,
      param: "messages.0.content.0",
      message: expect.stringMatching(why),
    });
  });

  it.each(["/large", "/endless"])("at %s is read up to the limit", async (path) => {
    await expect(fetchFrom(url + path, here)).rejects.toMatchObject({
      code: "SERVER_IMAGE_TOO_LARGE",
      status: 413,
    });
  });

  it("is not fetched from this machine, by number or name", async () => {
    const port = new URL(url).port;
    const before = asked.length;
    const names = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `0x7f.1:${port}`];
    for (const host of names) {
      await expect(fetchFrom(`http://${host}/image.png`)).rejects.toThrow(
        /not on the public internet/,
      );
    }
    expect(asked.length).toBe(before);
  });

  it("is cancelled when the client disconnects", async () => {
    const gone = AbortSignal.abort();
    const options = { largestBytes: 10, param: "a", signal: gone, isAllowed: here };
    await expect(fetchImage(`${url}/image.png`, options)).rejects.toMatchObject({
      code: "SERVER_IMAGE_REMOTE",
    });
  });
});

describe("an address", () => {
  it.each([
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:192.168.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "ff02::1",
    "2001:db8::1",
    "localhost",
    "",
  ])("%s is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(["1.1.1.1", "172.32.0.1", "192.167.1.1", "2606:4700::1111", "::ffff:1.1.1.1"])(
    "%s is public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});
