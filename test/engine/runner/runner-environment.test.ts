import { expect, test } from "vitest";
import { runnerEnvironment } from "../../../source/engine/runner/runner-environment.ts";

test("a runner enables huge pages and uses one thread of the pool", () => {
  expect(runnerEnvironment({ HOME: "/home/anna" })).toEqual({
    HOME: "/home/anna",
    GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
    UV_THREADPOOL_SIZE: "1",
  });
});

test.each([
  ["glibc.malloc.check=1", "glibc.malloc.check=1:glibc.malloc.hugetlb=1"],
  ["", "glibc.malloc.hugetlb=1"],
  ["glibc.malloc.hugetlb=0", "glibc.malloc.hugetlb=0"],
  ["glibc.malloc.check=1:glibc.malloc.hugetlb=2", "glibc.malloc.check=1:glibc.malloc.hugetlb=2"],
])("the user's settings for the C library stay: %j", (set, expected) => {
  expect(runnerEnvironment({ GLIBC_TUNABLES: set }).GLIBC_TUNABLES).toBe(expected);
});
