// Conversations return to the replica that served them, in whose cache they are.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultScale } from "../../../source/cloud/app-config.ts";
import {
  readConversation,
  ServedConversations,
} from "../../../source/cloud/gateway/conversations.ts";
import { cloudKey, keysBy, routedApp } from "../../support/cloud-documents.ts";
import { TestGateway, type TestReplica } from "../../support/test-gateway.ts";

type Turn = { role: string; content: string };
const system = { role: "system", content: "Be brief." };
const asked = (content: string): Turn => ({ role: "user", content });
const answered = (content: string): Turn => ({ role: "assistant", content });
const read = (body: unknown, caller = "acme") =>
  readConversation(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), caller);
const chat = (...messages: Turn[]) => ({ model: "tiny", messages: [system, ...messages] });

describe("a conversation", () => {
  test("is told by its model, its system prompt, its first question and its caller", () => {
    const first = read(chat(asked("one")));
    const later = chat(asked("one"), answered("1"), asked("two"));
    expect(first).toMatchObject({ isNew: true });
    expect(read(later)).toEqual({ digest: first?.digest, isNew: false });
    const others = [
      read(chat(asked("two"), answered("2"), asked("one"))),
      read({ ...later, model: "other" }),
      read({ ...later, system: "Be long." }),
      read({ ...later, messages: later.messages.slice(1) }),
      read(later, "other"),
    ];
    const digests = [first, ...others].map((each) => each?.digest);
    expect(new Set(digests).size).toBe(digests.length);
  });

  test("may be in a Responses request or a long prompt", () => {
    const input = [asked("one"), answered("1"), asked("two")];
    expect(read({ model: "tiny", instructions: "Be brief.", input })).toMatchObject({
      isNew: false,
    });
    const prompt = "It was a dark night. ".repeat(60);
    const digest = read({ prompt })?.digest;
    expect(digest).toBeDefined();
    expect(read({ prompt: `${prompt} And cold.` })?.digest).toBe(digest);
  });

  test.each([
    ["", "[1]", "{", "null", '{"messages":3}', '{"messages":[]}', '{"messages":[null,7]}'],
    ['{"prompt":"short"}', '{"input":"text"}', '{"prompt":["a"]}', "\u001f\u008b{}"],
    [`{"messages":[{"role":"user","content":${"[".repeat(100_000)}`],
    [`{"messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ])("is not found in other bodies", (...bodies) => {
    expect(bodies.map((body) => read(body))).toEqual(bodies.map(() => undefined));
  });

  test("is forgotten after newer ones", () => {
    const served = new ServedConversations(2);
    const known = (digest: string) => served.replicaOf({ digest, isNew: false })?.replica;
    for (const digest of ["a", "b", "a", "c"])
      served.note({ digest, isNew: false }, { replica: `on-${digest}`, revision: "r1" });
    expect(["a", "b", "c"].map(known)).toEqual(["on-a", undefined, "on-c"]);
    expect(served.replicaOf({ digest: "a", isNew: true })).toBeUndefined();
  });
});

describe("three replicas", () => {
  let gateway: TestGateway;
  let replicas: TestReplica[];
  let held: (() => void)[];
  const scale = { ...defaultScale, maxConcurrency: 3, maxMultiplexing: 2 };
  const publish = (open: readonly TestReplica[], changes: Parameters<typeof routedApp>[0] = {}) =>
    gateway.gateway.table.publish([
      routedApp({ scale, replicas: open.map((each) => each.routed()), ...changes }),
    ]);

  beforeEach(async () => {
    gateway = await TestGateway.start({ keys: keysBy({ token: cloudKey() }) });
    held = [];
    replicas = await Promise.all(
      ["one", "two", "three"].map((name) =>
        gateway.addReplica((request, response) => {
          request.resume();
          const end = () => response.end(name);
          if (request.url === "/hold") held.push(end);
          else request.once("end", end);
        }, name),
      ),
    );
    publish(replicas);
  });
  afterEach(() => gateway.close());

  async function ask(
    body: unknown,
    { route = "/v1/chat/completions", headers = {} as Record<string, string> } = {},
  ): Promise<string> {
    const url = `${gateway.url}/acme/chat${route}`;
    const text = JSON.stringify(body);
    return await (await fetch(url, { method: "POST", body: text, headers })).text();
  }

  /** Begins six chats at once, so that each replica gets some. @returns their replicas */
  async function begin(): Promise<string[]> {
    const all = Array.from({ length: 6 }, (_, index) =>
      ask(chat(asked(`question ${index}`)), { route: "/hold" }),
    );
    await expect.poll(() => held.length).toBe(6);
    for (const end of held.splice(0)) end();
    return await Promise.all(all);
  }

  const next = (index: number) =>
    chat(asked(`question ${index}`), answered("an answer"), asked("and then?"));

  test("get the later turns of the conversations that they served", async () => {
    const places = await begin();
    expect(new Set(places).size).toBe(3);
    const later: string[] = [];
    for (const index of places.keys()) later.push(await ask(next(index)));
    expect(later).toEqual(places);
  });

  test("get a conversation when its own replica is full or gone, and keep it from then on", async () => {
    const places = await begin();
    const own = places[0] ?? "";
    const index = 0;
    const busy = [0, 1].map(() => ask(next(index), { route: "/hold" }));
    await expect.poll(() => held.length).toBe(2);
    const moved = await ask(next(index));
    expect(moved).not.toBe(own);
    for (const end of held.splice(0)) end();
    expect(await Promise.all(busy)).toEqual([own, own]);
    expect(await ask(next(index))).toBe(moved);
    publish(replicas.filter(({ name }) => name !== moved));
    const last = await ask(next(index));
    expect(last).not.toBe(moved);
    publish(replicas);
    expect(await ask(next(index))).toBe(last);
  });

  test("get the text of X-Dctl-Affinity in place of the conversation", async () => {
    const places = await begin();
    const headers = { "x-dctl-affinity": "all of them" };
    const later: string[] = [];
    for (const index of places.keys()) later.push(await ask(next(index), { headers }));
    expect(new Set(later).size).toBe(1);
  });
});
