// Images on the command line: attached wherever their path is, and refused by models without vision; and
// resumed chats.
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Home } from "../support/command-line.ts";
import { imageFile, imagePairs, projectorFile, visionFile } from "../support/load-vision.ts";
import { proofCases } from "../support/proof.ts";

let home: Home;
beforeAll(async () => {
  home = await Home.create();
  copyFileSync(imageFile("red.png"), path.join(home.folder, "red.png"));
  copyFileSync(imageFile("yellow-tall.png"), path.join(home.folder, "my yellow.png"));
  mkdirSync(path.join(home.folder, "alone"));
  mkdirSync(path.join(home.folder, "elsewhere"));
  // In separate folders, so that neither file is found automatically next to the other.
  copyFileSync(visionFile, path.join(home.folder, "alone", "blind.gguf"));
  copyFileSync(projectorFile, path.join(home.folder, "elsewhere", "eyes.gguf"));
});
afterAll(() => home.remove());

describe("a question about an image", () => {
  it.each([
    ["What color is this image? ./red.png", "red", "attached red.png 64x64, 36 tokens"],
    ["./my yellow.png What color is this image?", "yellow", "attached my yellow.png 90x300"],
    ['/image "my yellow.png" What color is this image?', "yellow", "attached my yellow.png"],
  ])("%j is answered correctly", async (prompt, colour, line) => {
    const { code, output, errors } = await home.call(["run", visionFile, prompt]);
    expect({ code, output: output.trim() }).toEqual({ code: 0, output: `The image is ${colour}.` });
    expect(errors).toContain(line);
  });

  it("to a model without vision is refused before anything is sent", async () => {
    const outcome = await home.call(["run", "tiny", "What is in ./red.png?"]);
    expect(outcome).toMatchObject({ code: 4, output: "" });
    expect(outcome.errors).toContain('"tiny" does not support images: red.png was not sent.');
  });

  it("reports a missing file, and ignores paths in piped input", async () => {
    const missing = await home.call(["run", visionFile, "Describe ./dog.png"]);
    expect(missing.errors).toContain("not found: ./dog.png");
    const input = "./red.png was written";
    const piped = await home.call(["run", visionFile, "Hello!"], { input });
    expect(piped).toMatchObject({ code: 0, errors: "" });
  });

  it("never sends the argument of /image as text", async () => {
    const { code, output, errors } = await home.call(["run", visionFile, "/image dog.png what"]);
    expect({ code, output }).toEqual({ code: 3, output: "" });
    expect(errors).toContain("File dog.png does not exist.");
  });
});

describe("--mmproj", () => {
  const blind = () => path.join(home.folder, "alone", "blind.gguf");
  const eyes = () => path.join(home.folder, "elsewhere", "eyes.gguf");
  const question = "What color is this image? ./red.png";

  it("adds vision to a model without it", async () => {
    expect((await home.call(["run", blind(), question])).code).toBe(4);
    const seeing = await home.call(["run", blind(), "--mmproj", eyes(), question]);
    expect(seeing.output.trim()).toBe("The image is red.");
    expect(seeing.errors).toMatch(/Created blind:mmproj-[0-9a-f]{8} with its projector/);
    const again = await home.call(["run", blind(), "--mmproj", eyes(), question]);
    expect(again.errors.trim()).toBe("attached red.png 64x64, 36 tokens");
  });

  it("adds a projector to a model created from another", async () => {
    await home.call(["create", "blind", "-f", "-"], { input: `FROM ${blind()}` });
    const made = await home.call(["create", "seeing", "--mmproj", eyes(), "-f", "-"], {
      input: "FROM blind",
    });
    expect(made.code).toBe(0);
    expect((await home.call(["show", "seeing"])).output).toMatch(/Capabilities[\s\S]*vision/);
    expect((await home.call(["run", "seeing", question])).output.trim()).toBe("The image is red.");
  });

  it("refuses a file that is not a projector", async () => {
    const outcome = await home.call(["run", "tiny", "--mmproj", blind(), "Hello!"]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.errors).toContain("only a projector can be added to a model");
  });
});

describe("--session", () => {
  it("continues a chat with its images, and sessions lists it", async () => {
    const first = ["run", visionFile, "--session", "eyes", "What color is this image? ./red.png"];
    expect((await home.call(first)).output.trim()).toBe("The image is red.");
    const second = await home.call(["run", "--session", "eyes", "What color is this image?"]);
    expect(second.output.trim()).toBe("The image is red.");
    const { output } = await home.call(["sessions", "--json"]);
    expect(JSON.parse(output)).toMatchObject([{ name: "eyes", messageCount: 4 }]);
    expect((await home.call(["sessions", "nothing"])).output).not.toContain("eyes");
    expect((await home.call(["run", "--session", "eyes", "Really?"])).code).toBe(0);
    expect((await home.call(["run", "--session", "nobody"])).code).toBe(3);
    const removed = await home.call(["sessions", "--remove", "eyes"]);
    expect(removed).toMatchObject({ code: 0, output: "deleted 'eyes'\n" });
    expect(JSON.parse((await home.call(["sessions", "--json"])).output)).toEqual([]);
  });
});

it("images are described exactly, in each format and wherever its path is", async () => {
  const webp = path.join(home.folder, "circle.webp");
  const gif = path.join(home.folder, "circle.gif");
  await sharp(imageFile("red-circle.png")).webp({ lossless: true }).toFile(webp);
  await sharp(imageFile("red-circle.png")).gif().toFile(gif);
  // The engine's tests ask every question about every image.
  const descriptions = imagePairs.filter(({ question }) => question === "Describe this image.");
  const pairs = proofCases(descriptions.slice(0, 4), descriptions.slice(4));
  const asked = [
    ...pairs.map((pair) => ({ ...pair, file: imageFile(pair.image) })),
    ...[webp, gif].map((file) => ({
      file,
      question: "Describe this image.",
      answer: "The image shows a red circle.",
    })),
  ];
  const lines = asked.flatMap(({ file, question }, index) => [
    index % 2 === 0 ? `${question} ${file}` : `/image "${file}" ${question}`,
    "/clear",
  ]);
  const text = `/set parameter temperature 0\n${lines.join("\n")}\n`;
  const { output, errors } = await home.call(["run", visionFile, "--plain"], { input: text });
  expect(output.trim().split("\n")).toEqual(asked.map(({ answer }) => answer));
  expect(errors.match(/attached .* 36 tokens/g)).toHaveLength(asked.length);
});

it("the line chat attaches images, keeps its commands, and reports what it cannot do", async () => {
  const text = [
    "/image red.png",
    "What color is this image?",
    "/context",
    "What color is this image? my yellow.png",
    "/image dog.png what",
    "/set parameter temperature 0",
    "/show parameters",
    "/context",
    "/save coloured",
    "/save coloured",
    "/save coloured --force",
    "/model tiny",
    "What is in ./red.png?",
    "/load nobody",
    "/clear",
    "What is 2 + 3?",
    "/bye",
  ].join("\n");
  const words = ["run", visionFile, "--plain"];
  const { code, output, errors } = await home.call(words, { input: `${text}\n` });
  expect({ code, output: output.trim() }).toEqual({
    code: 0,
    output: "The image is red.\nThe image is yellow.\n2 + 3 = 5",
  });
  expect(errors).toContain("attached red.png 64x64, 36 tokens\nWrite your message.");
  expect(errors).toContain("2 messages\n1 image with 36 tokens\n");
  expect(errors).toContain("attached my yellow.png 90x300, 36 tokens");
  expect(errors).toContain("File dog.png does not exist.");
  expect(errors).toContain("Set in this chat:\ntemperature 0");
  expect(errors).toMatch(
    /The next prompt has \d+ tokens before your message: \d+ % of the context window/,
  );
  expect(errors.match(/Created new model 'coloured'\. Images were left out/g)).toHaveLength(2);
  expect(errors).toContain(
    "A model named 'coloured' already exists. Use /save coloured --force to replace it.",
  );
  expect(errors).toContain('"tiny" does not support images: red.png was not sent.');
  expect(errors).toContain("model 'nobody' not found");
  // Piped input is not saved as a chat.
  expect((await home.call(["sessions"])).output).not.toContain("What color is this image? my");
});
