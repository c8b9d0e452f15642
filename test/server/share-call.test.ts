// Work shared by callers that ask at the same time.
import { expect, test } from "vitest";
import { shareCalls } from "../../source/server/share-call.ts";

test("calls during a run share the next one", async () => {
  const pending: Array<PromiseWithResolvers<number>> = [];
  const call = shareCalls(async () => {
    const work = Promise.withResolvers<number>();
    pending.push(work);
    return await work.promise;
  });
  const first = [call(), call()];
  await Promise.resolve();
  expect(pending).toHaveLength(1);
  const second = [call(), call(), call()];
  await Promise.resolve();
  // Their run starts later: the running one may find older data.
  expect(pending).toHaveLength(1);
  pending[0]?.resolve(1);
  expect(await Promise.all(first)).toEqual([1, 1]);
  pending[1]?.resolve(2);
  expect(await Promise.all(second)).toEqual([2, 2, 2]);
  expect(pending).toHaveLength(2);
});

test("a failure is reported to its callers only", async () => {
  let isBroken = true;
  const call = shareCalls(async () => {
    if (isBroken) throw new Error("broken");
    return "well";
  });
  const results = await Promise.allSettled([call(), call()]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isBroken = false;
  expect(await call()).toBe("well");
});
