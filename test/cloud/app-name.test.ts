// Valid names of apps and organisations, the first segments of every URL.
import fc from "fast-check";
import { expect, it } from "vitest";
import { checkName, nameFault, suggestName } from "../../source/cloud/app-name.ts";
import { cloudErrors } from "../../source/cloud/errors.ts";

it.each(["a", "7", "chat", "lfm2-8b", "a".repeat(63), "metrics", "chat--staging", "a--b-c"])(
  "%s is a valid app name",
  (name) => {
    expect(checkName("app", name)).toBe(name);
  },
);

it.each([
  "",
  "Chat",
  "-chat",
  "chat-",
  "a--",
  "--b",
  "a---b",
  "a--b--c",
  "a----b",
  "chat--main",
  "a_b",
  "a.b",
  "a/b",
  "..",
  "ä",
  "a b",
  "a\n",
  "a\0",
  "a".repeat(64),
])("%j is invalid, and a valid name is suggested", (name) => {
  expect(() => checkName("app", name)).toThrow(
    expect.objectContaining({
      code: cloudErrors.nameInvalid.code,
      exitCode: 2,
      hint: expect.stringContaining(suggestName(name)),
    }),
  );
});

it.each(["_", "v1", "health", "metrics", "admin", "static"])(
  "%s is a reserved organisation",
  (name) => {
    expect(nameFault("organisation", name)).toBeDefined();
  },
);

it("every suggestion is valid", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), (text) => {
      expect(nameFault("app", suggestName(text))).toBeUndefined();
    }),
  );
  expect(suggestName("deploy_LFM2.py")).toBe("deploy-lfm2");
});
