// Tests how keys change answers and faults of the form.
import { describe, expect, test } from "vitest";
import { fieldAfterText, fieldWith } from "../../../../source/ui/editor/line-field.ts";
import { type DeployState, placeOf } from "../../../../source/ui/screens/deploy/deploy-state.ts";
import {
  addVariable,
  checkStep,
  choose,
  editField,
  moveFocus,
  openStep,
} from "../../../../source/ui/screens/deploy/form-reducer.ts";
import {
  adjacentStep,
  advancedStepsOf,
  focusedItem,
  pageOf,
  resumedStep,
  wrongAnswer,
} from "../../../../source/ui/screens/deploy/steps.ts";
import { sampleEnvironment } from "../console/sample-cloud.ts";
import { appDetails, inspectionOf, loaded, stateOf } from "./sample-answers.ts";

const type = (state: DeployState, text: string) =>
  editField(state, (field) => fieldAfterText(field, text));
const write = (state: DeployState, text: string) =>
  editField(state, (field) => fieldWith(field, text));
const down = (state: DeployState) => moveFocus(state, 1);
const linesOf = (state: DeployState) => pageOf(state).lines.map(({ text }) => text);
const valuesOf = (state: DeployState) =>
  Object.fromEntries(pageOf(state).items.map(({ id, value }) => [id, value]));

describe("steps", () => {
  test("keep the answers, forwards and backwards", () => {
    const back = openStep(type(openStep(stateOf("review"), "app"), "-two"), "script");
    const again = openStep(back, "app");
    expect(again.given.name).toBe("chat-two");
    expect(again.editor.text).toBe("chat-two");
  });

  test("lead through name and review to the launch, and from advanced settings to the review", () => {
    expect(adjacentStep("script", 1)).toBe("app");
    expect(adjacentStep("app", 1)).toBe("review");
    expect(adjacentStep("review", 1)).toBe("launch");
    expect(adjacentStep("scaling", 1)).toBe("review");
    expect(adjacentStep("scaling", -1)).toBe("review");
    expect(adjacentStep("script", -1)).toBeUndefined();
  });

  test("leave out scaling for a run", () => {
    const ids = (mode: string) => advancedStepsOf({ given: { mode } }).map(({ id }) => id);
    expect(ids("deploy")).toContain("scaling");
    expect(ids("run")).not.toContain("scaling");
  });

  test("with errors keep the review from the launch, however it was reached", () => {
    const state = openStep(stateOf("review", { gpuCount: "many" }), "review");
    const given = { ...state.given, "variable:API_TOKEN": "t" };
    expect(wrongAnswer(state)?.sentence).toContain("Variables, API_TOKEN: The script needs it");
    expect(wrongAnswer({ ...state, given })).toMatchObject({
      step: "resources",
      sentence: expect.stringContaining("Resources, GPUs: "),
    });
    expect(checkStep({ ...state, given }).faults[""]).toContain("f to fix the answer");
    expect(wrongAnswer({ ...state, given: { ...given, gpuCount: "0" } })).toBeUndefined();
  });

  test("of a draft resume before anything that must be asked again", () => {
    expect(resumedStep("app")).toBe("app");
    expect(resumedStep("launch")).toBe("review");
    expect(resumedStep("nonsense")).toBe("script");
  });
});

describe("the script", () => {
  test("loses its function when another script is typed", () => {
    const state = openStep(stateOf("script", { target: "serve" }), "script");
    expect(type(state, "x").given).toMatchObject({ script: "deploy.pyx" });
    expect(type(state, "x").given).not.toHaveProperty("target");
  });

  test("is required", () => {
    const state = write(openStep(stateOf("script"), "script"), "");
    expect(checkStep(state).faults).toHaveProperty("script");
    // Moving past an empty field shows no error.
    expect(moveFocus(state, -1).faults).toEqual({});
  });

  test("that is unreadable keeps the step open and says why", () => {
    const known = {
      script: { kind: "failed", sentence: "deploy.py:3: no colon" },
    } as const;
    const state = stateOf("found", {}, known);
    expect(checkStep(state).faults[""]).toBe("Fix the script first.");
    expect(linesOf(state)).toContain("deploy.py:3: no colon");
  });
});

describe("the name", () => {
  test("is checked while it is typed, and reported below its field when left", () => {
    const state = type(openStep(stateOf("app"), "app"), "_A");
    expect(linesOf(state).join()).toContain("may only contain a-z");
    expect(state.faults).toEqual({});
    const left = checkStep(state);
    expect(left.faults.name).toContain("Try chat-a.");
    expect(linesOf(left).join()).not.toContain("may only contain a-z");
  });

  test("of an existing app shows its active revision, and may be used", () => {
    const state = openStep(stateOf("app", {}, { apps: loaded([appDetails()]) }), "app");
    expect(linesOf(state).join()).toContain("chat exists: r0003-aaaaaaaa, ready.");
    expect(linesOf(state).join()).toContain("r0003-aaaaaaaa serves until it is ready.");
    expect(checkStep(state).faults).toEqual({});
  });

  test("of an app that was never ready does not promise that it serves meanwhile", () => {
    const apps = loaded([{ ...appDetails(), activeRevision: undefined }]);
    const state = openStep(stateOf("app", {}, { apps }), "app");
    expect(linesOf(state)).toContain("Deploying creates a new revision.");
  });

  test("of an existing app is refused for a run", () => {
    const known = { apps: loaded([appDetails()]) };
    const state = openStep(stateOf("app", { mode: "run" }, known), "app");
    expect(checkStep(state).faults.name).toContain("needs a new name");
  });

  test("is optional only for a run", () => {
    const run = openStep(stateOf("app", { mode: "run", name: "" }), "app");
    expect(checkStep(run).faults).toEqual({});
    const stay = openStep(stateOf("app", { name: "" }), "app");
    expect(checkStep(stay).faults.name).toBe("The name is empty.");
  });

  test("that was suggested is dropped for a run, a typed one is kept", () => {
    const suggested = stateOf("mode", { suggestedName: "chat" });
    expect(moveFocus(suggested, 1).given).toMatchObject({ mode: "run", name: "" });
    const own = stateOf("mode", { suggestedName: "other" });
    expect(moveFocus(own, 1).given).toMatchObject({ mode: "run", name: "chat" });
  });
});

describe("choices", () => {
  test("alone on their step change with up and down, and stop at the ends", () => {
    const run = down(openStep(stateOf("mode"), "mode"));
    expect(run.given.mode).toBe("run");
    expect(down(run).given.mode).toBe("run");
  });

  test("beside a field change with left and right, and warn of public access", () => {
    const shared = choose(down(openStep(stateOf("app"), "app")), 1);
    expect(shared.given.auth).toBe("shared");
    expect(linesOf(choose(shared, 1)).join()).toContain("Anyone who can reach the URL");
  });

  test("confirm public access again after every change", () => {
    const state = down(openStep(stateOf("app", { auth: "public" }), "app"));
    const confirmed = { ...state, isPublicConfirmed: true };
    expect(choose(confirmed, -1).isPublicConfirmed).toBe(false);
  });
});

describe("variables", () => {
  const open = () => openStep(stateOf("variables"), "variables");

  test("are those that the script reads, with secrets hidden", () => {
    const [model, token] = pageOf(open()).items;
    expect(model).toMatchObject({ label: "MODEL_NAME", value: "tiny" });
    expect(token).toMatchObject({ label: "API_TOKEN", note: "secret, required" });
    expect(token?.kind === "text" && token.mask?.("abc")).toBe("***");
  });

  test("that are required need a value", () => {
    expect(checkStep(open()).faults).toEqual({
      "variable:API_TOKEN": "The script needs it to start.",
    });
    expect(focusedItem(checkStep(open()))?.id).toBe("variable:API_TOKEN");
  });

  test("that are required may come from the server's secrets", () => {
    const stored = [
      { organisation: "local", environment: "main", name: "API_TOKEN", updatedAt: 0 },
    ];
    const state = stateOf("variables", { secretNames: "API_TOKEN" }, { secrets: loaded(stored) });
    expect(checkStep(state).faults).toEqual({});
  });

  test("can be added; a secret's value is hidden while typed", () => {
    const field = down(down(open()));
    const typed = type(field, "MY_KEY=abc");
    const item = focusedItem(typed);
    expect(item?.kind === "text" && item.mask?.("MY_KEY=abc")).toBe("MY_KEY=***");
    const added = addVariable(typed);
    expect(valuesOf(added)).toMatchObject({ "variable:MY_KEY": "abc", newVariable: "" });
    expect(focusedItem(added)?.id).toBe("newVariable");
  });

  test("without a name or an equals sign are refused", () => {
    const typed = type(down(down(open())), "1X=2");
    expect(down(typed).faults.newVariable).toContain("NAME=VALUE");
  });

  test("of the server are checked against the existing ones", () => {
    const stored = [{ organisation: "local", environment: "main", name: "HF_TOKEN", updatedAt: 0 }];
    const state = openStep(stateOf("variables", {}, { secrets: loaded(stored) }), "variables");
    const field = down(down(down(state)));
    expect(moveFocus(type(field, "HF_TOKEN"), -1).faults).not.toHaveProperty("secretNames");
    const fault = moveFocus(type(field, "NO_SUCH"), -1).faults.secretNames;
    expect(fault).toContain("deployctl secrets set NO_SUCH=VALUE");
  });
});

describe("the environment", () => {
  const there = loaded([
    sampleEnvironment(),
    sampleEnvironment({ name: "staging", description: "before release" }),
  ]);
  const target = { profile: "local", isCurrent: true, isLocal: true, place: "this machine" };
  const targets = loaded([{ ...target, organisation: undefined, environment: "staging" }]);
  const valueIn = (state: DeployState) =>
    pageOf(state).items.find(({ id }) => id === "environment")?.value;

  test("is asked for if there is one besides main", () => {
    const alone = { environments: loaded([sampleEnvironment()]) };
    expect(valueIn(openStep(stateOf("app", {}, alone), "app"))).toBeUndefined();
    const state = openStep(stateOf("app", {}, { environments: there }), "app");
    expect(valueIn(state)).toBe("main");
    const chosen = choose(moveFocus(state, 1), 1);
    expect(valueIn(chosen)).toBe("staging");
    expect(linesOf({ ...chosen, known: { ...chosen.known, apps: loaded([]) } })).toContain(
      "chat--staging is available.",
    );
  });

  test("is the profile's, else that of the name", () => {
    const named = stateOf("app", { name: "chat--staging" }, { environments: there });
    expect(valueIn(named)).toBe("staging");
    expect(checkStep(named).faults).toEqual({});
    expect(placeOf(named)).toMatchObject({ app: "chat--staging", environment: "staging" });
    const set = stateOf("app", {}, { environments: there, targets });
    expect(placeOf(set)).toMatchObject({ app: "chat--staging", environment: "staging" });
    const other = stateOf("app", { environment: "main" }, { environments: there, targets });
    expect(placeOf(other)).toMatchObject({ app: "chat", environment: "main" });
  });

  test("has to exist, and to be that of the name", () => {
    const unknown = stateOf("app", { environment: "stagin" }, { environments: there });
    expect(checkStep(unknown).faults[""]).toContain("deployctl environments create stagin");
    const given = { name: "chat--staging", environment: "main" };
    const other = stateOf("app", given, { environments: there });
    expect(checkStep(other).faults.name).toBe(
      "The name is one of the environment staging, not of main.",
    );
  });

  test("decides which secrets there are", () => {
    const typed = { environment: "staging", secretNames: "NO_SUCH" };
    const state = stateOf("variables", typed, { environments: there, secrets: loaded([]) });
    expect(checkStep(state).faults.secretNames).toContain(
      "deployctl secrets set NO_SUCH=VALUE --environment staging",
    );
  });
});

describe("scaling", () => {
  const open = () => openStep(stateOf("scaling"), "scaling");

  test("uses the script's values, then presets, then custom ones", () => {
    expect(valuesOf(open())).toMatchObject({ preset: "script", maxConcurrency: "2" });
    const cheapest = choose(open(), 1);
    expect(valuesOf(cheapest)).toMatchObject({ preset: "cheapest", maxConcurrency: "1" });
    const own = write(down(down(cheapest)), "3");
    expect(valuesOf(own)).toMatchObject({ preset: "custom", maxConcurrency: "3" });
    expect(valuesOf(choose(cheapest, -1))).toMatchObject({ preset: "script" });
  });

  test("reports invalid numbers below the field and contradictions at the step", () => {
    const wrong = write(down(open()), "many");
    expect(down(wrong).faults).toEqual({ minConcurrency: "Use a whole number from 0 to 1000." });
    const contradiction = write(down(open()), "5");
    expect(checkStep(contradiction).faults[""]).toContain("above the maximum number");
  });

  test("clears an error once its field is edited", () => {
    const wrong = checkStep(write(down(open()), "many"));
    expect(write(wrong, "1").faults).toEqual({});
  });
});

describe("resources", () => {
  test("warn about a GPU that the machine does not have", () => {
    const machine = {
      processors: 8,
      memory: { totalBytes: 32e9, freeBytes: 16e9 },
      diskFreeBytes: 1e12,
      gpus: [],
    };
    const given = { machineType: "GPU-H100", gpuCount: "2" };
    const state = stateOf("resources", given, { capacity: loaded(machine) });
    expect(linesOf(state).join()).toContain("Needs 2 GPUs (GPU-H100); this machine has no GPU.");
    const any = stateOf("resources", {}, { capacity: loaded(machine) });
    expect(linesOf(any).join()).not.toContain("Needs");
    const script = inspectionOf({ config: { machine_type: "GPU-H100", num_gpus: 2 } });
    const chosen = stateOf(
      "resources",
      { machineType: "any" },
      { capacity: loaded(machine) },
      script,
    );
    expect(linesOf(chosen).join()).not.toContain("Needs");
    expect(valuesOf(chosen)).toMatchObject({ gpuCount: "0" });
  });
});
