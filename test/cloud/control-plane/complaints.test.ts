// What is complained of again and again stands in the log once.
import { expect, it } from "vitest";
import { Complaints } from "../../../source/cloud/control-plane/complaints.ts";

it("is told once, and again when it is another or comes back", () => {
  const log: string[] = [];
  let now = 0;
  const clock = { now: () => now, wallMs: () => now };
  const complaints = new Complaints((text) => log.push(text), clock);
  expect(complaints.isOpen).toBe(false);
  const full = new Error("the disk is full");
  for (; now < 100_000; now += 1000) {
    complaints.tell("chat", full);
    expect(complaints.isOpen).toBe(true);
  }
  complaints.tell("chat", new Error("no room"));
  complaints.tell("other", full);
  expect(log).toEqual(["chat: the disk is full", "chat: no room", "other: the disk is full"]);
  complaints.end("chat");
  complaints.tell("chat", new Error("no room"));
  expect(log.at(-1)).toBe("chat: no room");
  expect(log).toHaveLength(4);
});

it("is over when nobody complains any more, though nobody says so", () => {
  let now = 0;
  const clock = { now: () => now, wallMs: () => now };
  const complaints = new Complaints(() => {}, clock);
  complaints.tell("a replica that is gone", new Error("full"));
  now = 60_000;
  expect(complaints.isOpen).toBe(true);
  now = 60_001;
  expect(complaints.isOpen).toBe(false);
});
