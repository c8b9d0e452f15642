// Content in parts: text is joined in order, images are refused for the right reason.
import { describe, expect, test } from "vitest";
import { ProductError } from "../../../../source/base/product-error.ts";
import { textOfParts } from "../../../../source/server/routes/openai/content-parts.ts";
import type { ContentPart } from "../../../../source/server/routes/openai/schema.ts";

const where = "messages.0.content";
const read = (...parts: ContentPart[]) => textOfParts(parts, where, "tiny");

function refusal(part: ContentPart): ProductError {
  try {
    read({ type: "text", text: "a" }, part);
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("it was read");
}

test("texts are one text, in order and with nothing between", () => {
  expect(
    read({ type: "text", text: "a" }, { type: "text", text: "" }, { type: "text", text: "b" }),
  ).toBe("ab");
  expect(read({ type: "refusal", refusal: "I will not." })).toBe("I will not.");
  expect(read()).toBe("");
});

describe("an image", () => {
  const good = "data:image/png;base64,iVBORw0KGgo=";

  test.each([
    good,
    good.replace("png", "jpeg"),
    good.replace("png", "jpg"),
    good.replace("png", "webp"),
    good.replace("image/png", ""),
  ])("that could be read is refused for the model: %s", (url) => {
    for (const image_url of [{ url }, { url, detail: "low" }, url]) {
      const error = refusal({ type: "image_url", image_url });
      expect(error.message).toBe('"tiny" does not support images');
      expect(error).toMatchObject({ status: 400, param: `${where}.1` });
    }
  });

  test.each(["https://example.com/a.png", "HTTP://example.com/a.png"])(
    "at %s is not fetched",
    (url) => {
      const error = refusal({ type: "image_url", image_url: { url } });
      expect(error.message).toBe(
        "image URLs are not currently supported, please use base64 encoded data instead",
      );
      expect(error).toMatchObject({ status: 400, param: `${where}.1` });
    },
  );

  test.each([
    "data:image/gif;base64,AAAA",
    "data:image/svg+xml;base64,AAAA",
    "data:IMAGE/PNG;base64,AAAA",
    "data:image/png;charset=utf-8;base64,AAAA",
    "data:image/png;base64,",
    "data:image/png;base64,AAA",
    "data:image/png;base64,A-_A",
    "data:image/png,AAAA",
    "iVBORw0KGgo=",
    "file:///etc/passwd",
    "",
    1,
    undefined,
    {},
    { url: null },
  ])("that is none is refused as such: %j", (image_url) => {
    const error = refusal({ type: "image_url", image_url });
    expect(error.message).toMatch(/^invalid image input/);
    expect(error).toMatchObject({ status: 400, param: `${where}.1` });
  });

  test("of many megabytes is looked through without harm", () => {
    const data = "A".repeat(40 * 1024 ** 2);
    expect(refusal({ type: "image_url", image_url: `data:image/png;base64,${data}` }).message).toBe(
      '"tiny" does not support images',
    );
    const broken = refusal({ type: "image_url", image_url: `data:image/png;base64,${data}!` });
    expect(broken.message).toMatch(/^invalid image input/);
  });
});

test.each(["input_audio", "file", "video", ""])("a part of the type %j is refused", (type) => {
  const error = refusal({ type });
  expect(error.message).toMatch(/^invalid message format/);
  expect(error).toMatchObject({ status: 400, param: `${where}.1` });
});
