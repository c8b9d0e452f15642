// Addresses as people type them, and the URLs that reach them.
import { describe, expect, test } from "vitest";
import {
  addressText,
  isLoopback,
  machineAddress,
  outsideUrlOf,
  parseAddress,
  urlOf,
} from "../../source/configuration/address.ts";

const http = { scheme: "http", path: "" } as const;

describe("an address", () => {
  test.each([
    ["", { host: "127.0.0.1", port: 11434, ...http }],
    ["1.2.3.4", { host: "1.2.3.4", port: 11434, ...http }],
    ["1.2.3.4:56", { host: "1.2.3.4", port: 56, ...http }],
    [":56", { host: "127.0.0.1", port: 56, ...http }],
    ["example.com:56", { host: "example.com", port: 56, ...http }],
    ["0.0.0.0:0", { host: "0.0.0.0", port: 0, ...http }],
    ["[::1]", { host: "::1", port: 11434, ...http }],
    ["[::1]:56", { host: "::1", port: 56, ...http }],
    ["::1", { host: "::1", port: 11434, ...http }],
    ["http://example.com", { host: "example.com", port: 80, ...http }],
    ["http://example.com:56/", { host: "example.com", port: 56, ...http }],
    ["https://example.com", { host: "example.com", port: 443, scheme: "https", path: "" }],
    [
      "HTTPS://example.com:8443/llm/",
      {
        host: "example.com",
        port: 8443,
        scheme: "https",
        path: "/llm",
      },
    ],
    ["example.com/llm", { host: "example.com", port: 11434, scheme: "http", path: "/llm" }],
    ["  '1.2.3.4:56' ", { host: "1.2.3.4", port: 56, ...http }],
    ['"1.2.3.4:56"', { host: "1.2.3.4", port: 56, ...http }],
  ])("is read from %j", (text, expected) => {
    expect(parseAddress(text)).toEqual(expected);
  });

  test.each([
    "1.2.3.4:65536",
    "1.2.3.4:x",
    "a:b:c",
    "ftp://example.com",
    "::::",
    "[::1]x",
    ":::1:",
  ])("is not %j", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  test.each(["a b", "ex ample.com:80", "host\n", "user@host:80", "host?x=1", "host#x"])(
    "%j is refused, or at least leads to a URL",
    (text) => {
      const address = parseAddress(text);
      if (address !== undefined) expect(() => new URL(urlOf(address))).not.toThrow();
    },
  );
});

describe("the URL of an address", () => {
  test.each([
    ["127.0.0.1:1", "http://127.0.0.1:1"],
    ["0.0.0.0:1", "http://127.0.0.1:1"],
    ["[::]:1", "http://[::1]:1"],
    ["[::1]:1", "http://[::1]:1"],
    ["https://example.com/llm/", "https://example.com:443/llm"],
  ])("of %s is %s", (text, url) => {
    const address = parseAddress(text);
    expect(address && urlOf(address)).toBe(url);
  });

  test("keeps an address that means every interface", () => {
    const texts = ["0.0.0.0:1", "[::]:1", "example.com"].map((text) => {
      const address = parseAddress(text);
      return address && addressText(address);
    });
    expect(texts).toEqual(["http://0.0.0.0:1", "http://[::]:1", "http://example.com:11434"]);
  });
});

test("an address for every interface is reached from outside at the machine's own address", () => {
  const port = { port: 1, scheme: "http", path: "" } as const;
  const own = machineAddress();
  const expected = urlOf({ ...port, host: own ?? "127.0.0.1" });
  expect(outsideUrlOf({ ...port, host: "0.0.0.0" })).toBe(expected);
  expect(own === undefined || !isLoopback(own)).toBe(true);
  expect(outsideUrlOf({ ...port, host: "10.1.2.3" })).toBe("http://10.1.2.3:1");
});

test("only this machine's own addresses are loopback", () => {
  for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "::1"]) {
    expect([host, isLoopback(host)]).toEqual([host, true]);
  }
  for (const host of ["0.0.0.0", "::", "192.168.0.1", "127.example.com", "example.com"]) {
    expect([host, isLoopback(host)]).toEqual([host, false]);
  }
});
