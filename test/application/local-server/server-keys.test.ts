// A server requires keys depending on its address and settings.
import { describe, expect, test } from "vitest";
import { keyPolicy } from "../../../source/application/local-server/server-keys.ts";

const at = (host: string) => ({ host, port: 11_434, scheme: "http" as const, path: "" });
const some = { hasActive: () => true };
const none = { hasActive: () => false };

const settings = (require_key: boolean | "auto", insecure_no_key = false) => ({
  require_key,
  insecure_no_key,
});

describe("on this machine only", () => {
  test.each([undefined, at("127.0.0.1"), at("localhost"), at("::1"), at("127.8.8.8")])(
    "%j requires a key only on request",
    (address) => {
      expect(keyPolicy(settings("auto"), address, none).isRequired).toBe(false);
      expect(keyPolicy(settings(false), address, none).isRequired).toBe(false);
      expect(keyPolicy(settings(true), address, none).isRequired).toBe(true);
    },
  );
});

describe.each(["0.0.0.0", "::", "192.168.1.5", "example.com"])("on %s", (host) => {
  test("requires keys when there is one", () => {
    for (const wanted of ["auto", true] as const) {
      const { isRequired, notice } = keyPolicy(settings(wanted), at(host), some);
      expect([isRequired, notice]).toEqual([true, expect.stringContaining("need a key")]);
    }
  });

  test("is refused without any key, with both ways out", () => {
    for (const wanted of ["auto", true] as const) {
      expect(() => keyPolicy(settings(wanted), at(host), none)).toThrow(
        expect.objectContaining({
          code: "SERVER_NO_KEY",
          exitCode: 4,
          message: expect.stringContaining(host),
          hint: expect.stringMatching(/modelctl keys create.*--insecure-no-key/),
        }),
      );
    }
  });

  test("is not opened by turning keys off alone", () => {
    expect(() => keyPolicy(settings(false), at(host), some)).toThrow(
      expect.objectContaining({ code: "SERVER_NO_KEY" }),
    );
  });

  test("is open on explicit request, and says so", () => {
    for (const wanted of ["auto", false] as const) {
      const { isRequired, notice } = keyPolicy(settings(wanted, true), at(host), none);
      expect([isRequired, notice]).toEqual([false, expect.stringContaining("Anybody")]);
    }
    expect(keyPolicy(settings(true, true), at(host), none).isRequired).toBe(true);
  });
});
