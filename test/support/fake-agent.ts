// A small program in place of a coding agent: it asks the server that it was pointed at.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Has `ask(question)` and the provider that pi is given. */
const asked = `
const provider = JSON.parse(process.env.MODELCTL_PROVIDER);
const [{ id: model, contextWindow: window }] = provider.models;
const server = provider.baseUrl.replace("/v1", "");
async function ask(content) {
  const reply = await fetch(provider.baseUrl + "/chat/completions", {
    method: "POST",
    headers: { authorization: "Bearer " + process.env[provider.apiKey] },
    body: JSON.stringify({ model, messages: [{ role: "user", content }] }),
  });
  const body = await reply.json();
  return body.choices?.[0].message.content ?? JSON.stringify(body);
}`;

/** Prints what it was given and the answer to its last argument, and exits with 7. */
export const askingAgent = `
  const words = process.argv.slice(2);
  console.log(JSON.stringify({ words, model, window, answer: await ask(words.at(-1)) }));
  process.exitCode = 7;`;

/**
 * Writes the program `pi` into a folder for the PATH.
 *
 * @param script body of an async function
 */
export function writeFakeAgent(folder: string, script: string): void {
  const text = `${asked}\n(async () => {${script}\n})();\n`;
  writeProgram(folder, "pi", `#!${process.execPath}\n${text}`);
}

export function writeProgram(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
