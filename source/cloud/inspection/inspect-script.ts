// Inspection of a script: first without running it; then, only if needed, by running its top level
// in an OS sandbox or, with consent, without one.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Static, TSchema } from "typebox";
import { Check } from "typebox/schema";
import { quoteShort } from "../../base/display-text.ts";
import { type ErrorDefinition, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import { batchingHint } from "./batching-server.ts";
import { Findings, Inspection, Problem, Unenforced } from "./inspection.ts";
import { askPython, type PythonAnswer, pythonProgram } from "./python-program.ts";

/** Reference to a script: `deploy.py::serve`, or `deploy.py` when it has one decorated object. */
export interface ScriptReference {
  /** File as typed. */
  file: string;
  /** Name after `::`. */
  target: string | undefined;
}

/** @throws ProductError `CLOUD_SCRIPT_MISSING` for text that names no script */
export function readScriptReference(text: string): ScriptReference {
  const split = text.indexOf("::");
  const file = split === -1 ? text : text.slice(0, split);
  const target = split === -1 ? undefined : text.slice(split + 2);
  if (path.extname(file) !== ".py") {
    throw invalidReference(text, "is not a Python script");
  }
  if (target !== undefined && !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(target)) {
    throw invalidReference(text, "does not name a function after ::");
  }
  return { file, target };
}

export interface InspectionOptions {
  /** Never runs any part of the script. Defaults to false. */
  isStatic?: boolean;
  /** Environment for `os.environ`. Defaults to that of this process. */
  environment?: NodeJS.ProcessEnv;
  /** Asks for consent before the script's top level runs without a sandbox. Defaults to no. */
  mayRun?: ((sentence: string) => Promise<boolean>) | undefined;
  /** Called with the reason, one sentence, before the script's top level runs. */
  onRun?: (sentence: string) => void;
  /** Time limit for the script's top level. Defaults to 30 s. */
  runLimitMs?: number;
  signal?: AbortSignal | undefined;
}

const readLimitMs = 30_000;
const defaultRunLimitMs = 30_000;
/** Variables that the script sees besides those it reads. */
const keptVariables = ["PATH", "LANG", "LC_ALL", "SYSTEMROOT"];

/**
 * @param file path of the script
 * @param target the name after `::`; undefined: the only decorated object
 * @throws ProductError `CLOUD_SCRIPT_MISSING`, `CLOUD_SCRIPT_INVALID`, `CLOUD_SCRIPT_NOT_RUN`,
 * `CLOUD_TARGET_UNKNOWN` or `CLOUD_PYTHON_UNUSABLE`; messages include file and line if known
 */
export async function inspectScript(
  file: string,
  target?: string,
  options: InspectionOptions = {},
): Promise<Inspection> {
  const { environment = process.env, isStatic = false, signal } = options;
  const script = path.resolve(file);
  const python = pythonProgram(environment);
  const words = target === undefined ? [script] : [script, target];
  const run = { python, environment, timeoutMs: readLimitMs, signal };
  const answer = await askPython({ ...run, file: "inspect_ast.py", words });
  const read = unpack(answer, "inspection", Inspection, script);
  if (read.dynamic.length === 0 || isStatic) return withHint(read);
  options.onRun?.(reasonToRun(read, script));
  const found = await runTopLevel(script, read, options);
  return withHint({
    ...read,
    kind: found.kind,
    dialect: found.dialect,
    config: { ...read.config, ...found.config },
    dynamic: found.dynamic,
    stubbed: found.stubbed,
    ...(found.image !== undefined && { image: found.image }),
    warnings: [...read.warnings, ...found.warnings],
  });
}

async function runTopLevel(script: string, read: Inspection, options: InspectionOptions) {
  const { environment = process.env, signal, runLimitMs = defaultRunLimitMs } = options;
  const name = path.basename(script);
  const folder = await mkdtemp(path.join(tmpdir(), "deployctl-inspect-"));
  const names = [...keptVariables, ...read.env_read.map(({ name }) => name)];
  const values = names.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  try {
    const run = (mode: "confined" | "unconfined") =>
      askPython({
        file: "inspect_exec.py",
        words: [script, read.target, mode],
        python: pythonProgram(environment),
        environment: { ...Object.fromEntries(values), HOME: folder, TMPDIR: folder },
        folder,
        timeoutMs: runLimitMs,
        signal,
      });
    let answer = await run("confined");
    if (answer.kind === "document" && Check(Unenforced, answer.value)) {
      const reason = `${name} would run with your permissions: ${answer.value.unenforced}.`;
      if (!(await options.mayRun?.(reason))) throw notRun(name, answer.value.unenforced);
      options.onRun?.(reason.replace("would run", "runs"));
      answer = await run("unconfined");
    }
    return unpack(answer, "findings", Findings, script);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function notRun(name: string, reason: string): ProductError {
  return new ProductError(cloudErrors.scriptNotRun, {
    message: `Reading all of ${name} requires running it, and this system has no sandbox: ${reason}.`,
    hint: "Use --yes-run to run it with your permissions if you trust it, or --static to skip unknown values.",
  });
}

function unpack<Schema extends TSchema>(
  answer: PythonAnswer,
  name: string,
  schema: Schema,
  script: string,
): Static<Schema> {
  if (answer.kind === "timeout") {
    throw new ProductError(cloudErrors.scriptInvalid, {
      message: `${path.basename(script)} takes too long to load.`,
      hint: "Move slow code into the function, or make the decorator's values constants.",
    });
  }
  if (answer.kind === "crash") {
    throw new ProductError(cloudErrors.scriptInvalid, {
      message: `${path.basename(script)} cannot be read: ${answer.sentence}.`,
      hint: "Make the decorator's values constants, or set them with flags.",
    });
  }
  const fields: Record<string, unknown> = Object(answer.value);
  if (Check(Problem, fields.problem)) throw problemError(fields.problem);
  const document = fields[name];
  if (Check(schema, document)) return document;
  throw new Error(`unexpected output of the script reader: ${JSON.stringify(fields)}`);
}

const definitions: Readonly<Record<string, ErrorDefinition>> = {
  script_missing: cloudErrors.scriptMissing,
  target_missing: cloudErrors.targetUnknown,
  target_unclear: cloudErrors.targetUnknown,
};

function problemError({ kind, sentence, hint }: Problem): ProductError {
  return new ProductError(definitions[kind] ?? cloudErrors.scriptInvalid, {
    message: sentence,
    ...(hint !== null && { hint }),
  });
}

function reasonToRun({ dynamic, target }: Inspection, script: string): string {
  const what = dynamic.includes("*") ? target : dynamic.join(", ");
  return `Running the top level of ${path.basename(script)} in a sandbox to determine ${what}.`;
}

function withHint(inspection: Inspection): Inspection {
  const hint = batchingHint(inspection);
  return hint === undefined
    ? inspection
    : { ...inspection, warnings: [...inspection.warnings, hint] };
}

function invalidReference(text: string, fault: string): ProductError {
  return new ProductError(cloudErrors.scriptMissing, {
    message: `${quoteShort(text, 200)} ${fault}.`,
    hint: "Name a file and a function in it, such as deploy.py::serve.",
  });
}
