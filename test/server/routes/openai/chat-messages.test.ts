// Content in parts: texts are joined in order with images between, other parts are refused.
import { describe, expect, test } from "vitest";
import { ProductError } from "../../../../source/base/product-error.ts";
import { readParts } from "../../../../source/server/routes/openai/chat-messages.ts";
import type { ContentPart } from "../../../../source/server/routes/openai/schema.ts";

const where = "messages.0.content";
const read = (...parts: ContentPart[]) => readParts(parts, where);

function refusal(part: ContentPart): ProductError {
  try {
    read({ type: "text", text: "a" }, part);
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("it was read");
}

test("texts are joined in order with nothing between", () => {
  expect(
    read({ type: "text", text: "a" }, { type: "text", text: "" }, { type: "text", text: "b" }).text,
  ).toBe("ab");
  expect(read({ type: "refusal", refusal: "I will not." }).text).toBe("I will not.");
  expect(read()).toEqual({ text: "", images: [] });
});

describe("an image", () => {
  const good = "data:image/png;base64,iVBORw0KGgo=";

  test.each([
    [good, "image/png"],
    [good.replace("png", "jpeg"), "image/jpeg"],
    [good.replace("png", "jpg"), "image/jpg"],
    [good.replace("png", "webp"), "image/webp"],
    [good.replace("png", "gif"), "image/gif"],
    [good.replace("image/png", "IMAGE/PNG;charset=utf-8"), "IMAGE/PNG"],
    [good.replace("image/png", ""), undefined],
  ])("keeps its declared type: %s", (url, mimeType) => {
    for (const image_url of [{ url }, { url, detail: "low" }, url]) {
      const { images } = read({ type: "image_url", image_url });
      expect(images).toEqual([
        { base64: "iVBORw0KGgo=", at: 0, param: `${where}.0`, ...(mimeType && { mimeType }) },
      ]);
    }
  });

  test("keeps its position between texts", () => {
    const image: ContentPart = { type: "image_url", image_url: good };
    const text = (of: string): ContentPart => ({ type: "text", text: of });
    const seen = read(image, text("one "), image, image, text("two"), image);
    expect(seen.text).toBe("one two");
    expect(seen.images.map(({ at }) => at)).toEqual([0, 4, 4, 7]);
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
    "data:text/plain;base64,AAAA",
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
  ])("that is invalid is refused as such: %j", (image_url) => {
    const error = refusal({ type: "image_url", image_url });
    expect(error.message).toMatch(/^invalid image input/);
    expect(error).toMatchObject({ status: 400, param: `${where}.1` });
  });

  test("of many megabytes is scanned safely", () => {
    const data = "A".repeat(40 * 1024 ** 2);
    const { images } = read({ type: "image_url", image_url: `data:image/png;base64,${data}` });
    expect(images[0]?.base64).toHaveLength(data.length);
    const broken = refusal({ type: "image_url", image_url: `data:image/png;base64,${data}!` });
    expect(broken.message).toMatch(/^invalid image input/);
  });
});

test.each(["input_audio", "file", "video", ""])("a part of the type %j is refused", (type) => {
  const error = refusal({ type });
  expect(error.message).toMatch(/^invalid message format/);
  expect(error).toMatchObject({ status: 400, param: `${where}.1` });
});
