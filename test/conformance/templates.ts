// Template part of the conformance run: every template with every conversation, rendered by ours and
// by Python's Jinja2.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../source/base/product-error.ts";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import { TemplateFault } from "../../source/prompt/template-fault.ts";
import { conversations } from "./conversations.ts";
import { knownReason } from "./known-differences.ts";
import type { ConformanceRow, Part } from "./part.ts";

const jinjaVersion = "3.1.6";
const facts = { bosText: "<s>", eosText: "</s>", controlTexts: [] };
const now = "2026-07-04T09:05:00";

/** Result of a job in one engine. */
type Rendering = { text: string } | { error: string };

interface Job {
  family: string;
  name: string;
  source: string;
  variables: Record<string, unknown>;
}

export const templatesPart: Part = {
  name: "templates",
  needs: ["git", "python3"],
  async run(checkout: string): Promise<ConformanceRow[]> {
    const jobs = jobsOf(path.join(checkout, "models/templates"));
    const references = renderReferences(checkout, jobs);
    const families = Map.groupBy(
      jobs.map((job, index) => ({ job, reference: references[index] ?? { error: "missing" } })),
      ({ job }) => job.family,
    );
    return [...families].map(([family, own]) => {
      const rendered = own.filter(({ reference }) => "text" in reference);
      const differences = rendered.flatMap(
        ({ job, reference }) => difference(job, reference) ?? [],
      );
      return {
        family,
        right: rendered.length - differences.length,
        of: rendered.length,
        differences,
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
      variables: template.variables(conversation, facts),
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
  const work = jobs.map(({ source, variables }) => ({ source, variables }));
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

function difference(
  { family, name, source, variables }: Job,
  reference: Rendering,
): object | undefined {
  const ours = render(source, variables);
  if ("text" in ours && "text" in reference && ours.text === reference.text) return undefined;
  const reason = knownReason("templates", family, name);
  return { name, ours, reference, ...(reason !== undefined && { known: reason }) };
}

function render(source: string, variables: Record<string, unknown>): Rendering {
  try {
    return { text: templateOf(source).renderVariables(variables, new Date(now)) };
  } catch (error) {
    if (error instanceof TemplateFault || error instanceof ProductError) {
      return { error: error.message };
    }
    throw error;
  }
}
