// Transcripts stay within bounds, and secrets are redacted when read.
import { expect, test } from "vitest";
import { drawToken, serverKeyPrefix } from "../../source/api-keys/token.ts";
import { redact, Transcripts } from "../../source/request-log/transcripts.ts";

test("pieces of an answer are joined, next to the prompt", () => {
  const transcripts = new Transcripts(true);
  transcripts.addPrompt("r-1", "Hello?");
  for (const piece of ["Good ", "day", "."]) transcripts.addAnswer("r-1", piece);
  expect(transcripts.get("r-1")).toEqual({ prompt: "Hello?", answer: "Good day." });
  expect(transcripts.get("r-2")).toBeUndefined();
});

test("a long text keeps its beginning and its end", () => {
  const transcripts = new Transcripts(true);
  transcripts.addPrompt("r-1", `begin ${"x y ".repeat(50_000)} end`);
  for (let piece = 0; piece < 3000; piece += 1)
    transcripts.addAnswer("r-1", `piece ${piece}. `.repeat(4));
  const { prompt = "", answer = "" } = transcripts.get("r-1") ?? {};
  expect(prompt).toMatch(/^begin .*\[…\].* end$/s);
  expect(answer).toMatch(/^piece 0\. .*\[…\].*piece 2999\. $/s);
  for (const text of [prompt, answer]) expect(text.length).toBeLessThanOrEqual(64 * 1024);
});

test("the oldest are dropped when the total grows too large", () => {
  const transcripts = new Transcripts(true);
  const text = "a b ".repeat(16 * 1024);
  for (let id = 0; id < 300; id += 1) transcripts.addPrompt(`r-${id}`, text);
  expect(transcripts.get("r-0")).toBeUndefined();
  expect(transcripts.get("r-43")).toBeUndefined();
  expect(transcripts.get("r-44")).toBeDefined();
  expect(transcripts.get("r-299")).toBeDefined();
});

test("secrets and images are hidden", () => {
  const { token } = drawToken(serverKeyPrefix);
  const image = Buffer.alloc(3000, 7).toString("base64");
  const text = `use ${token}, sk-proj-abcdefghijklmnop or hf_abcdefghijklmnopqrst. Authorization: Bearer abc.def-ghi123
    ![x](data:image/png;base64,${image}) and plain ${image}
    token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl`;
  const shown = redact(text);
  for (const secret of [token.slice(3), "abcdefghijklmnop", "abc.def", image, "eyJhb", "c2lnbm"]) {
    expect(shown).not.toContain(secret);
  }
  expect(shown).toContain("mk_…[secret]");
  expect(shown).toContain(`[image/png, ${image.length + 22} characters]`);
  expect(shown).toContain(`[base64, ${image.length} characters]`);
});

test("other text stays unchanged", () => {
  const text =
    "The risk-averse mk_ user asked for sk-learn, a task-force and 1234567890 data: points.";
  expect(redact(text)).toBe(text);
});

test("nothing is recorded by default, and ending the recording deletes all of it", () => {
  const transcripts = new Transcripts(false);
  transcripts.addPrompt("r-1", "Hello?");
  transcripts.addBody("r-1", "{}");
  expect(transcripts.get("r-1")).toBeUndefined();
  transcripts.record(true);
  transcripts.addPrompt("r-2", "Hello?");
  expect(transcripts.get("r-2")?.prompt).toBe("Hello?");
  transcripts.record(false);
  expect(transcripts.get("r-2")).toBeUndefined();
});
