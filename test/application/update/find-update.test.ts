// Newer versions of a clone and of an installed package.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findUpdate, type UpdateServices } from "../../../source/application/update/find-update.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function installation(
  isClone: boolean,
  answer: string | Error,
  repository?: string,
): UpdateServices {
  const folder = temporaryFolder();
  if (isClone) mkdirSync(path.join(folder, ".git"));
  const run = async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { folder, version: "0.9.0", name: "modelctl", repository, run };
}

test("of a clone are the tags of its remote", async () => {
  const tags = ["v0.9.0", "v0.10.1", "v0.10.0", "v1.0.0-rc.1", "nightly"];
  const listed = tags.map((tag, index) => `${index}abc\trefs/tags/${tag}`).join("\n");
  const services = installation(true, listed);
  expect(await findUpdate(services)).toEqual({
    version: "0.9.0",
    kind: "clone",
    newest: "0.10.1",
    isNewer: true,
    commands: [`cd ${services.folder}`, "git pull", "npm ci"],
  });
  const offline = await findUpdate(
    installation(true, new Error("Command failed\nno route to host")),
  );
  expect(offline).toMatchObject({
    isNewer: false,
    problem: expect.stringContaining("no route to host."),
  });
});

const ours = "git+https://git.example/us/modelctl.git";

test("of a package count only if the registry's one is of the same repository", async () => {
  const reply = (url: string) => JSON.stringify({ version: "1.2.0", "repository.url": url });
  const found = await findUpdate(
    installation(false, reply("https://git.example/us/modelctl"), ours),
  );
  expect(found).toMatchObject({ kind: "package", newest: "1.2.0", isNewer: true });
  const stranger = reply("https://git.example/them/modelctl");
  expect(await findUpdate(installation(false, stranger, ours))).toMatchObject({
    isNewer: false,
    problem: expect.stringContaining("is not of"),
  });
  const unknown = await findUpdate(installation(false, new Error("must not be asked")));
  expect(unknown.problem).toContain("names no repository");
});
