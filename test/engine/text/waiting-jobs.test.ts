// Fair queueing: clients take turns.
import { describe, expect, test } from "vitest";
import { joinQueue } from "../../../source/engine/text/waiting-jobs.ts";

interface Job {
  name: string;
  request: { client?: string };
}

/** `a1` is the first request of client a; a bare number has no client. */
function job(name: string): Job {
  const client = name.replace(/\d+$/, "");
  return { name, request: client === "" ? {} : { client } };
}

function order(joining: string, running = ""): string {
  const queue: Job[] = [];
  const jobs = (names: string) => names.split(" ").filter(Boolean).map(job);
  for (const each of jobs(joining)) joinQueue(queue, each, jobs(running));
  return queue.map(({ name }) => name).join(" ");
}

describe("a queue", () => {
  test("of one client is in the order in which its requests came", () => {
    expect(order("a1 a2 a3 a4")).toBe("a1 a2 a3 a4");
    expect(order("1 2 3", "4 5")).toBe("1 2 3");
  });

  test("lets clients take turns", () => {
    expect(order("a1 a2 a3 b1 b2 b3 b4")).toBe("a1 b1 a2 b2 a3 b3 b4");
    expect(order("a1 a2 a3 b1 c1 b2 a4")).toBe("a1 b1 c1 a2 b2 a3 a4");
    expect(order("a1 a2 a3 1 2")).toBe("a1 1 a2 2 a3");
  });

  test("counts what a client has running", () => {
    expect(order("a5 a6 b1", "a1 a2 a3 a4")).toBe("b1 a5 a6");
    expect(order("a2 b1 b2 b3 c1", "a1")).toBe("b1 c1 a2 b2 b3");
    expect(order("a3 b2", "a1 a2 b1")).toBe("b2 a3");
  });

  test("never starves a request: each waiting one moves up with every turn", () => {
    const queue = [1, 2, 3].map((number) => job(`a${number}`));
    const served: string[] = [];
    for (let turn = 1; queue.length > 0; turn += 1) {
      const next = queue.shift();
      if (next === undefined) break;
      served.push(next.name);
      // A new client arrives each time.
      if (turn <= 20) joinQueue(queue, job(`b${turn}`), [next]);
    }
    expect(served.indexOf("a3")).toBeLessThan(8);
    expect(served).toHaveLength(23);
  });
});
