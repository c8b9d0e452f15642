// Images over each API: described by a model with vision, and refused if invalid.
import { crc32 } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import { Ollama } from "ollama";
import OpenAI from "openai";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { imageBytes, imagePairs, visionFile } from "../support/load-vision.ts";
import { proofCases } from "../support/proof.ts";
import { TestServer } from "../support/test-server.ts";

const colour = "What color is this image?";
const model = visionFile;
let server: TestServer;
let openai: OpenAI;
let ollama: Ollama;
let anthropic: Anthropic;

beforeAll(async () => {
  const folder = visionFile.replace(/\/[^/]*$/, "");
  server = await TestServer.start({
    model_folders: [folder],
    num_parallel: 4,
    num_thread: 1,
    max_image_size: 2 ** 20,
  });
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
  ollama = new Ollama({ host: server.url });
  anthropic = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
});
afterAll(async () => {
  await server.close();
});

const base64 = (bytes: Buffer) => bytes.toString("base64");
const descriptions = imagePairs.filter(({ question }) => question === "Describe this image.");
const typeOf = (name: string) => (name.endsWith("png") ? "image/png" : "image/jpeg");
const dataUri = (bytes: Buffer, type = "image/png") => `data:${type};base64,${base64(bytes)}`;
const part = (url: string) => ({ type: "image_url" as const, image_url: { url } });
const text = (of: string) => ({ type: "text" as const, text: of });

async function askOpenai(content: OpenAI.ChatCompletionContentPart[]): Promise<string> {
  const reply = await openai.chat.completions.create({
    model,
    temperature: 0,
    messages: [{ role: "user", content }],
  });
  return reply.choices[0]?.message.content ?? "";
}

async function askNatively(image: Buffer | string, prompt = colour): Promise<string> {
  const images = [typeof image === "string" ? image : base64(image)];
  const options = { temperature: 0 };
  const reply = await ollama.chat({
    model,
    options,
    messages: [{ role: "user", content: prompt, images }],
  });
  return reply.message.content;
}

describe("OpenAI's client", () => {
  it.each(proofCases(imagePairs.slice(0, 6), imagePairs.slice(6)))(
    "gets the description of $image: $question",
    async ({ image, question, answer }) => {
      const url = dataUri(imageBytes(image), typeOf(image));
      expect(await askOpenai([part(url), text(question)])).toBe(answer);
    },
  );

  it("counts image tokens, also in a stream", async () => {
    const messages = [
      { role: "user" as const, content: [part(dataUri(imageBytes("red.png"))), text(colour)] },
    ];
    const options = { include_usage: true };
    const stream = await openai.chat.completions.create({
      model,
      temperature: 0,
      messages,
      stream: true,
      stream_options: options,
    });
    let said = "";
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      said += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(said).toBe("The image is red.");
    expect(usage).toMatchObject({ prompt_tokens: 54, completion_tokens: 9 });
  });

  it("keeps the order of texts and images", async () => {
    const red = part(dataUri(imageBytes("red.png")));
    const blue = part(dataUri(imageBytes("blue-wide.jpg"), "image/jpeg"));
    const question = text("What color is the second image?");
    expect(await askOpenai([red, blue, question])).toBe("The second image is blue.");
    expect(await askOpenai([blue, red, question])).toBe("The second image is red.");
  });

  it("sends four requests at once", async () => {
    const names = ["red.png", "green-pixel.png", "yellow-tall.png", "black-triangle.png"];
    const answers = await Promise.all(
      names.map((name) => askOpenai([part(dataUri(imageBytes(name))), text(colour)])),
    );
    expect(answers).toEqual([
      "The image is red.",
      "The image is green.",
      "The image is yellow.",
      "The image is black.",
    ]);
  });

  it("sends images to /v1/responses", async () => {
    const reply = await openai.responses.create({
      model,
      temperature: 0,
      input: [
        {
          role: "user",
          content: [
            {
              type: "input_image",
              image_url: dataUri(imageBytes("red-circle.png")),
              detail: "low",
            },
            { type: "input_text", text: "Describe this image." },
          ],
        },
      ],
    });
    expect(reply.output_text).toBe("The image shows a red circle.");
  });
});

describe("Anthropic's client", () => {
  it("gets a description and the prompt length", async () => {
    const data = base64(imageBytes("blue-square-wide.jpg"));
    const messages: Anthropic.MessageParam[] = [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/jpeg", data } },
          { type: "text", text: "Describe this image." },
        ],
      },
    ];
    const reply = await anthropic.messages.create({ model, max_tokens: 50, messages });
    expect(reply.content).toMatchObject([{ type: "text", text: "The image shows a blue square." }]);
    const counted = await anthropic.messages.countTokens({ model, messages });
    const { input_tokens, cache_read_input_tokens } = reply.usage;
    expect(counted.input_tokens).toBe(input_tokens + (cache_read_input_tokens ?? 0));
    expect(counted.input_tokens).toBeGreaterThan(36);
  });
});

describe("Ollama's client", () => {
  it.each(proofCases(descriptions.slice(0, 3), descriptions.slice(3)))(
    "gets the description of $image",
    async ({ image, question, answer }) => {
      expect(await askNatively(imageBytes(image), question)).toBe(answer);
    },
  );

  it("asks about an earlier image, and generates", async () => {
    const options = { temperature: 0 };
    const images = [base64(imageBytes("green-triangle.png"))];
    const reply = await ollama.chat({
      model,
      options,
      messages: [
        { role: "user", content: colour, images },
        { role: "assistant", content: "The image is green." },
        { role: "user", content: "What shape is in this image?" },
      ],
    });
    expect(reply.message.content).toBe("The image shows a triangle.");
    const generated = await ollama.generate({ model, options, prompt: colour, images });
    expect(generated.response).toBe("The image is green.");
  });

  it("marks the image's position in a raw prompt", async () => {
    const prompt = `<|im_start|>user\n[img-0]${colour}<|im_end|>\n<|im_start|>assistant\n`;
    const images = [base64(imageBytes("red.png"))];
    const options = { temperature: 0 };
    const reply = await ollama.generate({ model, options, prompt, images, raw: true });
    expect(reply.response).toBe("The image is red.");
    const nowhere = ollama.generate({ model, options, prompt: "a", images, raw: true });
    await expect(nowhere).rejects.toThrow(/must mark the place of each image/);
  });
});

describe("an image", () => {
  const square = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: "#0000ff" } });

  it.each([
    ["WebP", () => square(120, 90).webp().toBuffer()],
    ["GIF", () => square(64, 64).gif().toBuffer()],
    ["TIFF", () => square(64, 64).tiff().toBuffer()],
    ["AVIF", () => square(64, 64).avif().toBuffer()],
    ["progressive JPEG", () => square(200, 100).jpeg({ progressive: true }).toBuffer()],
    ["grey-free 16-bit PNG", () => square(64, 64).toColourspace("rgb16").png().toBuffer()],
    ["very wide", () => square(1000, 40).png().toBuffer()],
    ["very tall", () => square(40, 1000).jpeg().toBuffer()],
    ["large", () => square(5000, 600).jpeg().toBuffer()],
  ])("is read: %s", async (_, make) => {
    expect(await askNatively(await make())).toBe("The image is blue.");
  });

  it("is rotated upright and made opaque on white", async () => {
    const clear = sharp({
      create: { width: 64, height: 64, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    });
    expect(await askNatively(await clear.png().toBuffer())).toBe("The image is white.");
    const turned = sharp(imageBytes("orange-circle-tall.jpg")).withMetadata({ orientation: 6 });
    expect(await askNatively(await turned.jpeg().toBuffer())).toBe("The image is orange.");
  });

  const whole = imageBytes("red-circle.png");
  /** Claims another size in a PNG's header. */
  const withSize = (png: Buffer, width: number, height: number) => {
    const changed = Buffer.from(png);
    changed.writeUInt32BE(width, 16);
    changed.writeUInt32BE(height, 20);
    changed.writeUInt32BE(crc32(changed.subarray(12, 29)), 29);
    return changed;
  };
  const bombed = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect/></svg>',
  );
  it.each<[string, () => Promise<Buffer | string> | Buffer | string, RegExp]>([
    ["empty", () => "", /image is empty/],
    ["text", () => Buffer.from("hello, I am a text"), /an unknown format/],
    ["an SVG", () => bombed, /SVG drawing/],
    ["an HTML page", () => Buffer.from("<!doctype html><p>"), /HTML page/],
    ["cut off", () => whole.subarray(0, 1500), /damaged or cut off/],
    ["a cut JPEG", () => imageBytes("blue-wide.jpg").subarray(0, 700), /damaged or cut off/],
    [
      "corrupt",
      () => Buffer.concat([whole.subarray(0, 400), Buffer.alloc(200, 7), whole.subarray(600)]),
      /damaged or cut off/,
    ],
    ["only a header", () => whole.subarray(0, 20), /damaged or cut off/],
    ["of another type", () => dataUri(whole, "image/jpeg"), /declared as image\/jpeg, but is PNG/],
    ["of 120 million pixels", () => withSize(whole, 12_000, 10_000), /100 million/],
    ["not base64", () => "%%%%", /illegal base64/],
    ["truncated base64", () => base64(whole).slice(0, 1001), /illegal base64/],
  ])("is refused in one sentence: %s", async (_, make, why) => {
    const image = await make();
    const images = [typeof image === "string" ? image : base64(image)];
    const body = { model, messages: [{ role: "user", content: colour, images }] };
    const reply = await server.post("/api/chat", body);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ error: expect.stringMatching(why) });
  });

  it("is described after others were refused", async () => {
    expect(await askNatively(imageBytes("red.png"))).toBe("The image is red.");
  });

  it("above the size limit is refused before it is decoded", async () => {
    const large = base64(Buffer.alloc(3 * 2 ** 20));
    const body = { model, prompt: colour, images: [large] };
    const { status, json } = await server.post("/api/generate", body);
    expect(status).toBe(413);
    expect(json).toMatchObject({
      error: expect.stringMatching(/image .* is 3\.1 MB; the limit is /),
    });
  });

  it("is refused for a model without vision before the model is loaded", async () => {
    const refusal = '"tiny" does not support images';
    const images = [base64(imageBytes("red.png"))];
    await expect(
      ollama.chat({ model: "tiny", messages: [{ role: "user", content: "x", images }] }),
    ).rejects.toThrow(refusal);
    const content = [part(dataUri(imageBytes("red.png"))), text(colour)];
    await expect(
      openai.chat.completions.create({ model: "tiny", messages: [{ role: "user", content }] }),
    ).rejects.toThrow(refusal);
    expect(server.hosted.scheduler.models.map(({ model: { name } }) => name)).not.toContain("tiny");
  });

  it("on another machine is fetched only if the settings allow it", async () => {
    const answer = askOpenai([part("http://127.0.0.1:9/a.png"), text(colour)]);
    await expect(answer).rejects.toThrow(/image URLs are not currently supported/);
  });
});

it("a vision model answers text alone", async () => {
  expect(await askOpenai([text("What is the capital of Italy?")])).toBe(
    "The capital of Italy is Rome.",
  );
});
