// Promotion of an app's active revision to another environment.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { DeployEvent, PromoteRequest } from "../../../source/cloud/admin/documents.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import {
  deployment,
  type OpenControlPlane,
  openControlPlane,
  plainConfig,
} from "../support/open-control-plane.ts";

const staging = { organisation: "local", app: "chat--staging" };
const main = { organisation: "local", app: "chat" };

let open: OpenControlPlane;
beforeEach(async () => {
  open = await openControlPlane();
  open.store.environments.create("local", "staging");
});
afterEach(async () => {
  await open.close();
});

async function promote(request: PromoteRequest = { to: "main" }): Promise<DeployEvent[]> {
  const events: DeployEvent[] = [];
  for await (const event of await open.plane.promote(staging, request, undefined)) {
    events.push(event);
  }
  return events;
}

const startedLast = () => open.engine.started.at(-1);

it("takes script and configuration along, and keeps values that belong to the target", async () => {
  const environment = { LOG_LEVEL: "debug" };
  await open.deploy(
    deployment("old", {
      secrets: { API_KEY: "of main" },
      config: { ...plainConfig, environment: { OLD: "1" } },
    }),
  );
  await open.deploy(
    deployment("new", {
      name: "chat--staging",
      secrets: { API_KEY: "of staging", OTHER_KEY: "new" },
      config: { ...plainConfig, environment },
    }),
  );
  expect((await promote()).at(-1)).toMatchObject({
    kind: "done",
    result: { app: "local/chat", status: "active" },
  });
  expect(startedLast()).toMatchObject({
    plan: { app: "chat", config: { environment } },
    secrets: { API_KEY: "of main", OTHER_KEY: "new" },
  });
  const [promoted] = open.plane.documents.revisions(main);
  const [source] = open.plane.documents.revisions(staging);
  expect(promoted?.bundle).toBe(source?.bundle);
  expect(promoted?.annotations.promoted_from).toBe(`${source?.revision} of staging`);
});

it("leaves the target as it is if the revision does not start there", async () => {
  await open.deploy(deployment("old"));
  await open.deploy(deployment("new", { name: "chat--staging" }));
  const before = open.plane.documents.app(main).activeRevision;
  open.engine.fate = () => ({ exit: { sentence: "No weights." } });
  expect((await promote()).at(-1)).toMatchObject({ kind: "failed" });
  expect(open.plane.documents.app(main).activeRevision).toBe(before);
});

it("needs an app with a revision, and another environment", async () => {
  const unknown = { code: cloudErrors.environmentUnknown.code };
  await expect(promote()).rejects.toMatchObject({ code: cloudErrors.appUnknown.code });
  await open.deploy(deployment("new", { name: "chat--staging" }));
  await expect(promote({ to: "live" })).rejects.toMatchObject(unknown);
  await expect(promote({ to: "staging" })).rejects.toMatchObject({
    code: cloudErrors.conflict.code,
  });
});

it("an app that is older than the rule for names keeps working, and its environment is not created", async () => {
  open.store.apps.create({ organisation: "local", app: "old--name" }, { isEphemeral: false });
  const [last] = (await open.deploy(deployment("one", { name: "old--name" }))).slice(-1);
  expect(last).toMatchObject({ kind: "done" });
  expect(() => open.store.environments.create("local", "name")).toThrow(
    expect.objectContaining({ code: cloudErrors.conflict.code }),
  );
});
