// Goal: a chat with a deployment continues after its key was revoked or its model replaced.
// Method: a server on loopback that knows one key and one model, which the test changes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { DeploymentChat } from "../../../source/cli/cloud/deployment-chat.ts";
import type { ChatEvent } from "../../../source/client/chat-events.ts";

const app = "local/tiny";
let key: string;
let model: string;
let asked: string[];
let chat: DeploymentChat;
/** Records for each key request if the key before was refused. */
let connected: boolean[];

beforeEach(async () => {
  [key, model, asked, connected] = ["first", "tiny", [], []];
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Key ${key}`) {
      response.writeHead(401).end(JSON.stringify({ detail: "The key is not valid." }));
    } else if (request.method === "GET") {
      response.end(JSON.stringify({ data: [{ id: "first-in-the-store" }, { id: model }] }));
    } else {
      let body = "";
      request.on("data", (piece) => {
        body += String(piece);
      });
      request.on("end", () => {
        const wanted = String(JSON.parse(body).model);
        asked.push(wanted);
        if (wanted !== model) {
          response.writeHead(404).end('{"error":{"message":"no such model"}}');
          return;
        }
        const choices = [{ delta: { content: "Yes." }, finish_reason: "stop" }];
        response.end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const connect = async (isRefused: boolean) => {
    connected.push(isRefused);
    return { url, authorization: `Key ${isRefused ? key : "first"}`, model };
  };
  chat = new DeploymentChat({ deployment: { profile: "local", app, url }, connect });
});

async function answer(): Promise<string> {
  const events: ChatEvent[] = [];
  const settings = { system: undefined, parameters: {} };
  const messages = [{ role: "user", content: "Is it?" }] as const;
  for await (const event of chat.chat(messages, settings, new AbortController().signal)) {
    events.push(event);
  }
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

test("another key is asked for only when the previous one is refused", async () => {
  expect(await answer()).toBe("Yes.");
  expect(await answer()).toBe("Yes.");
  expect(connected).toEqual([false]);
  key = "second";
  expect(await answer()).toBe("Yes.");
  expect(connected).toEqual([false, true]);
  expect(chat.facts.name).toBe("local/tiny tiny");
});

test("a saved chat uses its own model, or the one served instead", async () => {
  await chat.use("local/tiny tiny");
  expect([chat.facts.name, connected]).toEqual(["local/tiny tiny", []]);
  await answer();
  await chat.use("local/tiny gone");
  await answer();
  expect(asked).toEqual(["tiny", "tiny"]);
  await expect(chat.use("gone")).rejects.toThrow(
    "local/tiny serves first-in-the-store, tiny, not gone.",
  );
});

test("after a new revision with another model the next question goes to that model", async () => {
  await answer();
  model = "larger";
  await expect(answer()).rejects.toThrow("no such model");
  expect(await answer()).toBe("Yes.");
  expect(chat.facts.name).toBe("local/tiny larger");
});
