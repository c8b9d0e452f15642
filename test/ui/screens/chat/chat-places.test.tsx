// Tests that chats with deployments exist next to the local one.
// Uses screens that record the calls.
import { expect, test } from "vitest";
import type { SessionHead } from "../../../../source/chat/sessions/session.ts";
import type { ClientMessage } from "../../../../source/client/chat-events.ts";
import {
  ChatPlaces,
  chatPlaceFacts,
  type PlacedChat,
} from "../../../../source/ui/screens/chat/chat-places.tsx";
import { FakeScreen } from "../../support/fake-screen.tsx";
import { renderAt } from "../../support/render.tsx";

const size = { columns: 80, rows: 20 };

class FakeChat extends FakeScreen implements PlacedChat {
  readonly transcript: ClientMessage[];
  readonly saved = undefined;
  readonly #name: string;

  constructor(name: string) {
    super("chat", "Chat");
    this.#name = name;
    this.lines = [name];
    this.transcript = [{ role: "user", content: name }];
  }

  serverLabel(): string {
    return `● ${this.#name}`;
  }

  async resume({ id }: SessionHead): Promise<void> {
    this.events.push(`goes on with ${id}`);
  }

  notify(sentence: string): void {
    this.events.push(sentence);
  }
}

function shown(places: ChatPlaces): string {
  return renderAt(<places.Body {...size} />, { columns: size.columns })
    .text()
    .trim();
}

test("says how to start a chat without a local model", async () => {
  const places = new ChatPlaces(undefined);
  expect(shown(places)).toContain("Press 5 for the console");
  expect(places.isTyping()).toBe(false);
  expect(places.current).toBeUndefined();
  places.activate();
  places.type("into nothing");
  await places.close();
});

test("a deployment's chat is shown, and is the same when opened again", async () => {
  const own = new FakeChat("own");
  const places = new ChatPlaces(own);
  places.activate();
  const other = new FakeChat("other");
  await places.show("local/tiny", async () => other);
  expect([shown(places), places.current?.serverLabel()]).toEqual(["other", "● other"]);
  expect(own.events).toEqual(["activated", "deactivated"]);
  places.type("hello");
  expect(other.events).toEqual(["activated", "typed hello"]);
  await places.show("local/tiny", async () => new FakeChat("never made"));
  expect(shown(places)).toBe("other");
  expect(places.current?.transcript).toEqual([{ role: "user", content: "other" }]);
});

test("/here goes back, and is unavailable when there is nothing to go back to", async () => {
  const places = new ChatPlaces(new FakeChat("own"));
  const here = () => places.commands().find(({ slash }) => slash?.includes("/here"));
  expect(here()?.isValid()).toBe(false);
  await places.show("a", async () => new FakeChat("other"));
  expect(here()?.isValid()).toBe(true);
  await here()?.run("");
  expect(shown(places)).toBe("own");
  const nowhere = new ChatPlaces(undefined).commands().find(({ id }) => id === chatPlaceFacts.id);
  expect(nowhere?.run("")).toContain("No local model to return to");
});

test("another screen's model is opened in the local chat", async () => {
  const own = new FakeChat("own");
  const accepted: string[] = [];
  Object.assign(own, { accept: (model: string) => accepted.push(model) });
  const places = new ChatPlaces(own);
  await places.show("a", async () => new FakeChat("other"));
  places.accept("qwen");
  expect([shown(places), accepted]).toEqual(["own", ["qwen"]]);
});

test("every chat is closed, and every change of each is announced", async () => {
  const own = new FakeChat("own");
  const other = new FakeChat("other");
  const places = new ChatPlaces(own);
  let changes = 0;
  places.subscribe(() => {
    changes += 1;
  });
  await places.show("a", async () => other);
  const before = changes;
  own.changed();
  other.changed();
  expect(changes - before).toBe(2);
  await places.close();
  expect([own.events.at(-1), other.events.at(-1)]).toEqual(["closed", "closed"]);
});

test("a saved chat is resumed where it belongs", async () => {
  const deployment = { profile: "local", app: "local/tiny", url: "http://127.0.0.1:1/local/tiny" };
  const head = (id: string): SessionHead => ({
    id,
    name: id,
    isNamed: false,
    model: "tiny",
    createdAtMs: 0,
    updatedAtMs: 0,
    messageCount: 1,
    parameters: {},
  });
  const own = new FakeChat("own");
  const places = new ChatPlaces(own);
  expect(await places.goElsewhere({ ...head("far"), deployment })).toBe(false);
  const opened: string[] = [];
  places.deployments = {
    resume: async ({ id }, { app }) => {
      opened.push(`${id} at ${app}`);
      await places.show(app, async () => new FakeChat("far"));
    },
    chooseSaved: async () => "none",
  };
  expect(await places.goElsewhere({ ...head("far"), deployment })).toBe(true);
  expect([opened, shown(places)]).toEqual([["far at local/tiny"], "far"]);
  expect(await places.goElsewhere(head("near"))).toBe(true);
  expect(shown(places)).toBe("own");
  expect(own.events).toEqual(["goes on with near"]);
  expect(await new ChatPlaces(undefined).goElsewhere(head("near"))).toBe(false);
});
