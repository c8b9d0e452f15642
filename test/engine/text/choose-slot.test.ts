// Choice of a slot: neighbours of busy slots, cached prefixes, undisturbed conversations.
import { describe, expect, it } from "vitest";
import { chooseSlot } from "../../../source/engine/text/choose-slot.ts";
import { Slot } from "../../../source/engine/text/slot.ts";

type Job = string;

/** Each character is a token; `*` in front marks a busy slot. */
function slots(...texts: string[]): Slot<Job>[] {
  return texts.map((text, id) => {
    const slot = new Slot<Job>(id);
    if (text.startsWith("*")) slot.job = "busy";
    slot.tokens = tokens(text.replace("*", ""));
    slot.lastUsed = slot.tokens.length === 0 ? 0 : 100 + id;
    return slot;
  });
}
const tokens = (text: string) => [...text].map((character) => character.codePointAt(0) ?? 0);
const prefix = "p".repeat(40);
const always = () => true;
const never = () => false;

describe("chooseSlot", () => {
  it("finds none when all are busy", () => {
    expect(chooseSlot(slots("*a", "*b"), tokens("a"), always)).toBeUndefined();
  });

  it("keeps the busy slots in one run", () => {
    expect(chooseSlot(slots("", "*x", "", ""), tokens("q"), always)?.slot.id).not.toBe(3);
    expect(chooseSlot(slots("*x", "*y", "", "z"), tokens("q"), always)?.slot.id).toBe(2);
  });

  it("continues a conversation in its slot", () => {
    const choice = chooseSlot(slots("", `${prefix}abc`, ""), tokens(`${prefix}abcdef`), always);
    expect(choice).toMatchObject({ slot: { id: 1 }, copyFrom: undefined, prefix: 43 });
  });

  it("continues a short conversation too", () => {
    const choice = chooseSlot(slots("", "short chat", ""), tokens("short chat goes on"), always);
    expect(choice).toMatchObject({ slot: { id: 1 }, prefix: 10 });
  });

  it("does not take another conversation's slot for the few tokens every prompt begins with", () => {
    const choice = chooseSlot(slots("<user>long talk", ""), tokens("<user>new"), always);
    expect(choice?.slot.id).toBe(1);
  });

  it("copies a shared prefix and leaves that conversation undisturbed", () => {
    const long = `${prefix}${"a".repeat(100)}`;
    const choice = chooseSlot(slots(long, "", ""), tokens(`${prefix}b`), always);
    expect(choice).toMatchObject({ copyFrom: { id: 0 }, prefix: 40 });
    expect(choice?.slot.id).not.toBe(0);
  });

  it("copies from a busy slot", () => {
    const choice = chooseSlot(slots(`*${prefix}a`, "", ""), tokens(`${prefix}b`), always);
    expect(choice).toMatchObject({ slot: { id: 1 }, copyFrom: { id: 0 }, prefix: 40 });
  });

  it("uses the slot with the prefix if copying does not pay off", () => {
    const choice = chooseSlot(slots("*x", "", "", `${prefix}a`), tokens(`${prefix}b`), never);
    expect(choice).toMatchObject({ slot: { id: 3 }, copyFrom: undefined, prefix: 40 });
  });

  it("computes the prefix again if its slot is busy and copying does not pay off", () => {
    const choice = chooseSlot(slots(`*${prefix}a`, ""), tokens(`${prefix}b`), never);
    expect(choice).toMatchObject({ slot: { id: 1 }, copyFrom: undefined, prefix: 0 });
  });

  it("replaces the least recently used conversation", () => {
    const all = slots("aaaa", "bbbb", "cccc");
    const [first, second, third] = all;
    if (!first || !second || !third) throw new Error("three slots were made");
    [first.lastUsed, second.lastUsed, third.lastUsed] = [30, 10, 20];
    expect(chooseSlot(all, tokens("zzzz"), always)?.slot.id).toBe(1);
  });
});
