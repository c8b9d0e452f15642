// Deploying mentions variables that users may expect the app to have.
import { describe, expect, test } from "vitest";
import { variablesNote } from "../../../source/application/deploying/prepare-deployment.ts";
import { plainConfig } from "../../cloud/support/open-control-plane.ts";

const shell = {
  HF_TOKEN: "hf_secret",
  AWS_REGION: "eu-central-1",
  OPENAI_API_KEY: "",
  HF_HOME: "/weights",
  AWS_CA_BUNDLE: "/etc/ssl/bundle.pem",
  EDITOR: "vi",
};

describe("variables of this shell", () => {
  test("are named with the flags that pass them, without their values", () => {
    const note = variablesNote({ config: plainConfig, secrets: {} }, shell);
    expect(note).toBe(
      "Set here, but not passed to the app: AWS_REGION, HF_TOKEN. " +
        'To pass: --env AWS_REGION="$AWS_REGION" --secret HF_TOKEN (after deployctl secrets set HF_TOKEN).',
    );
  });

  test.each([
    ["by its environment", { environment: { AWS_REGION: "here" } }, { HF_TOKEN: "own" }],
    ["by stored secrets", { secretNames: ["HF_TOKEN", "AWS_REGION"] }, {}],
  ])("are not named when the app gets them %s", (_, change, secrets) => {
    expect(variablesNote({ config: { ...plainConfig, ...change }, secrets }, shell)).toBe(
      undefined,
    );
  });
});
