// Built-in tool that fetches pages: only typed addresses, never this machine's, as text.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BuiltInServer } from "../../../source/tools/built-in/built-in-server.ts";
import {
  fetchPageTool,
  pageText,
  typedAddress,
} from "../../../source/tools/built-in/fetch-page.ts";

let server: Server;
let url: string;
const asked: string[] = [];

const replies: Record<string, (reply: ServerResponse) => void> = {
  "/page": (reply) =>
    reply
      .setHeader("content-type", "text/html; charset=ISO-8859-1")
      .end(Buffer.from("<h1>Caf\u00e9</h1><script>let a;</script><p>open &amp; free", "latin1")),
  "/data": (reply) => reply.setHeader("content-type", "application/json").end('{"a": 1}'),
  "/image": (reply) => reply.setHeader("content-type", "image/png").end("x"),
  "/moved": (reply) => reply.writeHead(302, { location: "/data" }).end(),
  "/inside": (reply) => reply.writeHead(302, { location: "http://127.0.0.2:1/" }).end(),
  "/broken": (reply) => reply.writeHead(302, { location: "http://[" }).end(),
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

async function fetchPage(
  wanted: string,
  typed: string,
  isAllowed?: (address: string) => boolean,
): Promise<string> {
  const web = new BuiltInServer("web", [fetchPageTool(isAllowed)], ".");
  const { signal } = new AbortController();
  const limits = { signal, timeoutMs: 60_000, typed: [typed] };
  return (await web.call("fetch_page", { url: wanted }, limits)).text;
}
const here = (address: string) => address === "127.0.0.1";

test("A page that the person named is read as text", async () => {
  const read = (name: string) => fetchPage(url + name, `Summarise ${url}${name}.`, here);
  expect(await read("/page")).toBe("Café\n\nopen & free");
  expect(await read("/data")).toBe('{"a": 1}');
  expect(await read("/moved")).toBe('{"a": 1}');
  expect(await read("/image")).toBe("The page is not a text but image/png.");
  expect(await read("/none")).toContain("the server replied with status 404");
  expect(await read("/inside")).toBe(
    '"http://127.0.0.2:1/" was not fetched: it is not on the public internet.',
  );
  expect(await read("/broken")).toContain("which is no URL");
});

test("This machine and its network are never asked, whoever typed the address", async () => {
  const { port } = new URL(url);
  const before = asked.length;
  const hosts = ["127.0.0.1", "localhost", "0x7f.1", "2130706433"];
  for (const host of hosts) {
    const address = `http://${host}:${port}/page`;
    expect(await fetchPage(address, `Read ${address}`)).toContain("not on the public internet");
  }
  expect(asked.length).toBe(before);
});

test("An address that nobody typed is not fetched", async () => {
  const before = asked.length;
  expect(await fetchPage(`${url}/data`, "Read the data", here)).toBe(
    `"${url}/data" was not fetched: only addresses that the user typed are. Ask for it.`,
  );
  expect(await fetchPage(`${url}/data?secret=1`, `Read ${url}/data`, here)).toContain(
    "not fetched",
  );
  expect(asked.length).toBe(before);
});

test.each([
  ["https://example.com/a", "See https://example.com/a.", "https://example.com/a"],
  ["https://example.com/", "See example.com, please", "https://example.com/"],
  ["example.com", "https://example.com", "https://example.com/"],
  ["http://example.com/a", "(https://example.com/a#part)", "https://example.com/a#part"],
  ["https://example.com/a?b=1", "https://example.com/a", undefined],
  ["https://example.com/b", "https://example.com/a", undefined],
  ["https://example.com.evil.example/", "https://example.com/", undefined],
  ["https://example.com@evil.example/", "https://example.com/", undefined],
  ["file:///etc/passwd", "file:///etc/passwd", undefined],
  ["secret", "secret", undefined],
])("%j after %j is fetched from %j", (wanted, typed, expected) => {
  expect(typedAddress(wanted, [typed])).toBe(expected);
});

test.each([
  ["<title>T</title><head><style>x</style></head><p>a  b<br>c", "T\n\na b\nc"],
  ["<ul><li>a</li><li>b</ul>", "- a\n\n- b"],
  ["a<!-- <p>x --> b<SCRIPT>x</Script>c", "a bc"],
  ["a &#65;&#x42;&nope;&lt;", "a AB&nope;<"],
  ["a<script>never ends", "a"],
  ["a <", "a"],
  ["İ<script>x</script>y", "İy"],
])("The text of %j is %j", (html, text) => {
  expect(pageText(html)).toBe(text);
});

test("A hostile page is read in one pass", () => {
  expect(pageText("<b> </b>".repeat(300_000))).toBe("");
  expect(pageText("<script>".repeat(300_000))).toBe("");
  expect(pageText("<title".repeat(300_000))).toBe("");
});
