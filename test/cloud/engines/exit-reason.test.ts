import { describe, expect, it } from "vitest";
import {
  type ExitFacts,
  explainExit,
  takenPort,
} from "../../../source/cloud/engines/exit-reason.ts";
import { readMarker } from "../../../source/cloud/engines/replica-marker.ts";

const plain: ExitFacts = {
  code: 1,
  signal: undefined,
  cause: undefined,
  ending: undefined,
  memoryRanOut: false,
  tail: [],
};

function reasonOf(facts: Partial<ExitFacts>): [string, string] {
  const { reason, sentence } = explainExit({ ...plain, ...facts });
  return [reason, sentence];
}

describe("an exit reason", () => {
  it("is the control plane's action before anything else", () => {
    const cause = { reason: "startup_timeout", sentence: "Too late." } as const;
    const tail = ["CUDA out of memory"];
    expect(reasonOf({ cause, signal: "SIGTERM", tail })).toEqual(["startup_timeout", "Too late."]);
  });

  it("is the runner's report of a failed script", () => {
    const ending = readMarker({ phase: "failed", reason: "syntax_error", sentence: "line 3: oh" });
    expect(reasonOf({ ending, code: 65 })).toEqual(["syntax_error", "line 3: oh."]);
  });

  it("is never a code that only a newer runner knows", () => {
    const ending = readMarker({ phase: "failed", reason: "moon_phase", sentence: "New moon." });
    expect(reasonOf({ ending })).toEqual(["exception", "New moon."]);
  });

  it("is found in the server's last lines when the function returns normally", () => {
    const ending = readMarker({ phase: "returned", program: "vllm", code: 1 });
    const tail = [
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
      "RuntimeError: Engine core initialization failed.",
    ];
    expect(reasonOf({ ending, tail })).toEqual(["out_of_memory", "Not enough GPU memory."]);
  });

  it("is the error that the server ended with", () => {
    const ending = readMarker({ phase: "returned", program: "modelctl", code: 3 });
    const tail = ["Error: the first try failed", "again", "Error: model 'mine' not found."];
    expect(reasonOf({ ending, tail })).toEqual(["exited", "model 'mine' not found."]);
  });

  it("names the program that exited before the function returned", () => {
    const ending = readMarker({ phase: "returned", program: "vllm", code: -11 });
    expect(reasonOf({ ending, code: 139 })).toEqual([
      "returned",
      "The function returned and left no server running; vllm was killed by signal 11.",
    ]);
  });

  it("is not a port conflict when a healthy server once logged one", () => {
    const ending = readMarker({ phase: "returned", program: "vllm", code: 0 });
    const tail = ["port 8000: Address already in use, trying 8001"];
    expect(reasonOf({ ending, code: 0, tail })[0]).toBe("returned");
  });

  it.each([
    ["OSError: [Errno 98] Address already in use", "port_conflict"],
    ["Error: listen EADDRINUSE: address already in use :::8000", "port_conflict"],
    ["ModuleNotFoundError: No module named 'vllm'", "import_error"],
    ["sh: 1: vllm: not found", "missing_executable"],
    ["deploy.sh: line 3: llama-server: command not found", "missing_executable"],
    ["MemoryError", "out_of_memory"],
    ["terminate called after throwing an instance of 'std::bad_alloc'", "out_of_memory"],
    ["all is well", "exited"],
  ])("reads %j as %s", (line, reason) => {
    expect(reasonOf({ tail: ["before", line, "after"] })[0]).toBe(reason);
  });

  it.each([
    ["ModuleNotFoundError: No module named 'vllm.entrypoints'", "vllm"],
    ["/usr/bin/python3: No module named vllm", "vllm"],
    [
      "python3: Error while finding module specification for 'vllm.x' (ModuleNotFoundError: No module named 'vllm')",
      "vllm",
    ],
    ["ModuleNotFoundError: No module named 'PIL'", "pillow"],
  ])("names the requirement to add for %j", (line, requirement) => {
    const [reason, sentence] = reasonOf({ tail: [line] });
    expect(reason).toBe("import_error");
    expect(sentence).toMatch(/^The Python module \S+ is not installed in its environment\. /);
    expect(sentence).toContain(`Add it with --requirement ${requirement}.`);
  });

  it("keeps the place in the script that imports a missing module", () => {
    const sentence = "app.py:4: ModuleNotFoundError: No module named 'torch'";
    const ending = readMarker({ phase: "failed", reason: "import_error", sentence });
    expect(reasonOf({ ending, code: 68 })).toEqual([
      "import_error",
      "app.py:4: The Python module torch is not installed in its environment. Add it with --requirement torch.",
    ]);
  });

  it.each([
    ["OSError: [Errno 98] Address already in use: '127.0.0.1:9123'", 9123],
    ["Error: listen EADDRINUSE: address already in use :::9123", 9123],
    ["[Errno 98] error while attempting to bind on address ('0.0.0.0', 80): address in use", 80],
    ["12:30:45 listen tcp :9123: bind: address already in use", 9123],
    ["couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 9123", 9123],
    ["12:30:45 OSError: [Errno 98] Address already in use", undefined],
    ["E0101 server.py:214] bind: address already in use", undefined],
    ["E0101 server.py:214] bind to :9123: address already in use", 9123],
  ])("finds the port in %j", (line, port) => {
    const facts = { ...plain, tail: [line] };
    expect(takenPort(facts)).toBe(port);
    const { sentence } = explainExit({ ...facts, holder: "python3 (4711)" });
    const what = port === undefined ? "A port that it needs" : `Port ${port}`;
    expect(sentence).toContain(`${what} is already in use by python3 (4711). Stop that program, `);
  });

  it("distinguishes out of memory from other SIGKILLs by the kernel's counter", () => {
    expect(reasonOf({ code: undefined, signal: "SIGKILL", memoryRanOut: true })[0]).toBe(
      "out_of_memory",
    );
    expect(reasonOf({ code: undefined, signal: "SIGKILL" })).toEqual([
      "killed",
      "It was killed by SIGKILL.",
    ]);
  });

  it("prefers any known cause to an unknown one", () => {
    const cause = { reason: "lost", sentence: "Nobody looked." } as const;
    const ending = readMarker({ phase: "failed", reason: "import_error", sentence: "No torch." });
    expect(reasonOf({ code: undefined, cause })).toEqual(["lost", "Nobody looked."]);
    expect(reasonOf({ code: undefined, cause, ending })).toEqual(["import_error", "No torch."]);
  });
});
