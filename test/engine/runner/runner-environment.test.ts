import { expect, test } from "vitest";
import { runnerEnvironment } from "../../../source/engine/runner/runner-environment.ts";

test("a runner asks for huge pages and computes on one thread of the pool", () => {
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
])("what the user set for the C library stays: %j", (set, expected) => {
  expect(runnerEnvironment({ GLIBC_TUNABLES: set }).GLIBC_TUNABLES).toBe(expected);
});
