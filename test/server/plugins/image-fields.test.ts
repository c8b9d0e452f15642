// Images in the request bodies of all APIs.
import { expect, test } from "vitest";
import { imageFieldsIn } from "../../../source/server/plugins/image-fields.ts";

const link = "https://example.com/a.png";
const bodies: Array<[name: string, body: unknown, found: Array<[text: string, param: string]>]> = [
  ["generate", { prompt: "x", images: ["aGk=", 1] }, [["aGk=", "images.0"]]],
  ["chat", { messages: [{ role: "user", images: ["aGk="] }] }, [["aGk=", "messages.0.images.0"]]],
  [
    "chat completions",
    {
      messages: [
        {
          content: [
            { type: "text", text: "x" },
            { type: "image_url", image_url: { url: link } },
            { type: "image_url", image_url: link },
          ],
        },
      ],
    },
    [
      [link, "messages.0.content.1"],
      [link, "messages.0.content.2"],
    ],
  ],
  [
    "responses",
    {
      input: [
        { role: "user", content: [{ type: "input_image", image_url: link }] },
        { type: "function_call_output", output: [{ type: "input_image", image_url: link }] },
      ],
    },
    [
      [link, "input.0.content.0"],
      [link, "input.1.output.0"],
    ],
  ],
  [
    "messages",
    {
      messages: [
        {
          content: [
            { type: "image", source: { type: "base64", data: "aGk=" } },
            {
              type: "tool_result",
              content: [{ type: "image", source: { type: "url", url: link } }],
            },
          ],
        },
      ],
    },
    [
      ["aGk=", "messages.0.content.0"],
      [link, "messages.0.content.1.content.0"],
    ],
  ],
  ["text", { messages: [{ role: "user", content: "x" }], input: "x", prompt: "x" }, []],
  ["anything else", ["x"], []],
];

test.each(bodies)("of %s are found with their places", (_, body, found) => {
  expect(imageFieldsIn(body).map(({ text, param }) => [text, param])).toEqual(found);
});

test("a URL can be replaced, base64 cannot", () => {
  const body = {
    images: [link],
    messages: [{ content: [{ image_url: { url: link } }, { source: { type: "url", url: link } }] }],
  };
  for (const { replace } of imageFieldsIn(body)) replace?.("data:,");
  expect(body).toEqual({
    images: [link],
    messages: [
      { content: [{ image_url: { url: "data:," } }, { source: { type: "url", url: "data:," } }] },
    ],
  });
});
