// Template part of the conformance run: every template with every conversation, rendered by ours and by
// Python's Jinja2, or where that refuses, as llama-server does.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../source/base/product-error.ts";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import { TemplateFault } from "../../source/prompt/template-fault.ts";
import { conversations } from "./conversations.ts";
import { knownReason } from "./known-differences.ts";
import { LlamaServerPrompts, type Rendering } from "./llama-server-prompt.ts";
import type { ConformanceRow, Part } from "./part.ts";

const jinjaVersion = "3.1.6";
const facts = { bosText: "<s>", eosText: "</s>", controlTexts: [] };
const now = "2026-07-04T09:05:00";

interface Job {
  family: string;
  name: string;
  source: string;
  /** In each form of the conversation that ours tries; the references get the first. */
  forms: ReadonlyArray<Record<string, unknown>>;
}

/** Job's results in each engine; `reference` is llama-server's where Jinja2 refuses. */
interface Comparison {
  family: string;
  name: string;
  ours: Rendering;
  jinja2: Rendering;
  reference: Rendering;
}

export const templatesPart: Part = {
  name: "templates",
  needs: ["git", "python3"],
  async run(checkout: string): Promise<ConformanceRow[]> {
    const jobs = jobsOf(path.join(checkout, "models/templates"));
    const references = renderReferences(checkout, jobs);
    const server = await LlamaServerPrompts.load();
    const compared = jobs.map((job, index) => {
      const jinja2 = references[index] ?? { error: "missing" };
      const reference = "text" in jinja2 ? jinja2 : server.render(job.source, job.forms[0] ?? {});
      return { family: job.family, name: job.name, ours: render(job), jinja2, reference };
    });
    return [...Map.groupBy(compared, ({ family }) => family)].map(([family, own]) => {
      const isRefused = ({ ours, reference }: Comparison) =>
        "error" in ours && "error" in reference;
      const rendered = own.filter((each) => !isRefused(each));
      const differences = rendered.flatMap((each) => difference(each) ?? []);
      const right = rendered.length - differences.length;
      return {
        family,
        right,
        of: rendered.length,
        differences,
        refusedByAll: own.filter(isRefused),
      };
    });
  },
};

function jobsOf(folder: string): Job[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".jinja"));
  return files.flatMap((file) => {
    const source = readFileSync(path.join(folder, file), "utf8");
    const template = templateOf(source);
    return Object.entries(conversations).map(([name, conversation]) => ({
      family: path.basename(file, ".jinja"),
      name,
      source,
      forms: template.variables(conversation, facts, new Date(now)),
    }));
  });
}

const known = new Map<string, ChatTemplate>();

function templateOf(source: string): ChatTemplate {
  const template = known.get(source) ?? new ChatTemplate(source);
  known.set(source, template);
  return template;
}

function renderReferences(checkout: string, jobs: readonly Job[]): Rendering[] {
  const environment = path.join(checkout, "build-jinja2");
  const python = path.join(environment, "bin/python");
  if (!existsSync(python)) {
    execFileSync("python3", ["-m", "venv", environment]);
    execFileSync(python, ["-m", "pip", "--quiet", "install", `jinja2==${jinjaVersion}`]);
  }
  const script = path.join(import.meta.dirname, "render-reference.py");
  const work = jobs.map(({ source, forms }) => ({ source, variables: forms[0] }));
  const output = execFileSync(python, [script], {
    input: JSON.stringify({ now, jobs: work }),
    encoding: "utf8",
    maxBuffer: 256 << 20,
  });
  return output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Rendering);
}

function difference({ family, name, ours, jinja2, reference }: Comparison): object | undefined {
  if ("text" in ours && "text" in reference && ours.text === reference.text) return undefined;
  const reason = knownReason("templates", family, name);
  return {
    name,
    ours,
    reference,
    ...("error" in jinja2 && { jinja2 }),
    ...(reason !== undefined && { known: reason }),
  };
}

function render({ source, forms }: Job): Rendering {
  let refusal: Rendering | undefined;
  for (const variables of forms) {
    try {
      return { text: templateOf(source).renderVariables(variables, new Date(now)) };
    } catch (error) {
      if (!(error instanceof TemplateFault || error instanceof ProductError)) throw error;
      refusal ??= { error: error.message };
    }
  }
  return refusal ?? { error: "there is no form" };
}
