import { expect, it } from "vitest";
import { repairFolders } from "../../source/configuration/personal-folders.ts";

const known = () => "/home/known";

it("leaves absolute folders unchanged", () => {
  const environment = { HOME: "/home/me", XDG_CACHE_HOME: "/var/cache/me", PATH: "relative" };
  repairFolders(environment, known);
  expect(environment).toEqual({
    HOME: "/home/me",
    XDG_CACHE_HOME: "/var/cache/me",
    PATH: "relative",
  });
});

it("ignores relative and empty folders", () => {
  const environment = { HOME: "/home/me", XDG_DATA_HOME: "data", XDG_STATE_HOME: "" };
  repairFolders(environment, known);
  expect(environment).toEqual({ HOME: "/home/me" });
});

it.each(["", "relative"])("uses the system's entry for a home that is %j", (home) => {
  const environment = { HOME: home };
  repairFolders(environment, known);
  expect(environment).toEqual({ HOME: "/home/known" });
});

it("leaves a missing home to Node", () => {
  const environment = {};
  repairFolders(environment, known);
  expect(environment).toEqual({});
});

it("drops an empty home of a user unknown to the system", () => {
  const environment = { HOME: "" };
  repairFolders(environment, () => {
    throw new Error("no such user");
  });
  expect(environment).toEqual({});
});
