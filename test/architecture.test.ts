// The house rules that a compiler does not know: who may import whom, one door per heavy library,
// no cycles. The imports are read from the sources themselves.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..");

interface Import {
  from: string;
  to: string;
  isTypeOnly: boolean;
  isDynamic: boolean;
  names: string[];
}

const files = ["cli.tsx", ...globSync("source/**/*.{ts,tsx}", { cwd: root })].map((file) =>
  file.split(path.sep).join("/"),
);
const imports: Import[] = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const code = readFileSync(path.join(root, file), "utf8");
  const { module, program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const statics = module.staticImports.map((entry) => ({
    specifier: entry.moduleRequest.value,
    isTypeOnly: entry.entries.length > 0 && entry.entries.every(({ isType }) => isType),
    isDynamic: false,
    names: entry.entries.map(({ importName }) => importName.name ?? ""),
  }));
  const reExports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest
        ? [{ specifier: moduleRequest.value, isTypeOnly: isType, isDynamic: false, names: [] }]
        : [],
    ),
  );
  const dynamics = module.dynamicImports.map(({ moduleRequest }) => ({
    specifier: code.slice(moduleRequest.start + 1, moduleRequest.end - 1),
    isTypeOnly: false,
    isDynamic: true,
    names: [],
  }));
  expect(program.type).toBe("Program");
  return [...statics, ...reExports, ...dynamics].map(({ specifier, ...kind }) => ({
    from: file,
    to: specifier.startsWith(".")
      ? path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier))
      : specifier,
    ...kind,
  }));
}

/** The first folder below source/, or the entry file. */
function roomOf(file: string): string {
  return file === "cli.tsx" ? "cli" : (file.split("/")[1] ?? "");
}

// A room with ":types" may be imported for its types alone.
const allowed: Record<string, string[]> = {
  base: [],
  configuration: ["base"],
  "request-log": ["base"],
  metrics: ["base"],
  "api-keys": ["base"],
  client: ["base", "request-log:types"],
  chat: ["base", "configuration", "client", "tools:types"],
  tools: ["base"],
  agents: ["base"],
  tls: ["base"],
  tracing: ["base"],
  store: ["base", "configuration"],
  prompt: ["base", "store:types"],
  engine: ["base", "configuration", "prompt", "store:types"],
  server: [
    "base",
    "configuration",
    "request-log",
    "metrics",
    "api-keys",
    "prompt",
    "store",
    "engine",
    "tls",
    "tracing",
  ],
  cloud: ["base", "configuration", "api-keys", "request-log", "tls", "tracing"],
  ui: ["base", "chat", "client", "cloud:types", "request-log:types", "metrics:types"],
  application: [
    "agents",
    "base",
    "chat",
    "client",
    "cloud",
    "configuration",
    "engine",
    "api-keys",
    "metrics",
    "prompt",
    "request-log",
    "server",
    "store",
    "tls",
    "tools",
    "tracing",
  ],
  cli: [
    "base",
    "client",
    "application",
    "ui",
    "configuration",
    "cloud",
    "api-keys",
    "request-log",
    "chat",
    "tools",
    "agents",
  ],
};

// Server may import the engine's vocabulary and scheduler, never a runner.
const engineDoors =
  /^source\/engine\/(errors|generation|request)\.ts$|^source\/engine\/scheduler\//;

// Command line may import the cloud's admin client, its documents, its rules of names and its manifests.
const cloudDoors =
  /^source\/cloud\/(admin\/|errors\.ts$|app-name\.ts$|app-config\.ts$|inspection\/inspection\.ts$|engines\/ray\/manifest\.ts$)/;

// Screens may import the types of the cloud's documents and of its admin client.
const cloudShapes =
  /^source\/cloud\/(admin\/documents|admin\/admin-client|app-config|inspection\/inspection)\.ts$/;

// Command line opens the screens, and implements the interfaces to what is behind them.
const screenDoor = "source/ui/app/run-app.tsx";
const screenInterfaces = /^source\/ui\/app\/(app-options|cloud-access|server-access)\.ts$/;

const libraryDoors: Record<string, RegExp> = {
  "node-llama-cpp": /^source\/engine\/text\//,
  "@fugood/llama.node": /^source\/engine\/vision\//,
  ink: /^source\/ui\//,
  "ink-text-input": /^source\/ui\/components\/text-field\.tsx$/,
  react: /^source\/ui\//,
  fastify: /^source\/(server|cloud)\/|^source\/application\/local-server\/server-host\.ts$/,
  "prom-client": /^source\/(cloud\/)?metrics\//,
  "@fastify/swagger": /^source\/server\//,
  undici: /^source\/(store\/hub\/|base\/fetch-public\.ts$|cloud\/gateway\/)/,
  selfsigned: /^source\/tls\//,
  "@opentelemetry/api": /^source\/tracing\//,
  "@opentelemetry/sdk-trace-base": /^source\/tracing\//,
  "@modelcontextprotocol/client": /^source\/tools\//,
  tar: /^source\/store\/library\//,
  meow: /^source\/cli\/program\/read-command-line\.ts$/,
  // Loaded by source/base/node-http.ts, since its import loads fetch.
  "node:http": /^$/,
};

describe("the import table", () => {
  it("knows every folder", () => {
    expect(files.length).toBeGreaterThan(50);
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in allowed))).toEqual([]);
  });

  it("is respected by every import between folders", () => {
    const broken = imports.filter(({ from, to, isTypeOnly }) => {
      if (!to.startsWith("source/") || roomOf(from) === roomOf(to)) return false;
      const rules = allowed[roomOf(from)] ?? [];
      return !rules.includes(roomOf(to)) && !(isTypeOnly && rules.includes(`${roomOf(to)}:types`));
    });
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("lets the command line use only the cloud's admin client and documents", () => {
    const broken = imports.filter(
      ({ from, to }) => roomOf(from) === "cli" && roomOf(to) === "cloud" && !cloudDoors.test(to),
    );
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("lets the command line use only the screens' door and their interfaces", () => {
    const broken = imports.filter(
      ({ from, to, isTypeOnly }) =>
        roomOf(from) === "cli" &&
        roomOf(to) === "ui" &&
        to !== screenDoor &&
        !(isTypeOnly && screenInterfaces.test(to)),
    );
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("lets the screens use only the types of the cloud's documents and client", () => {
    const broken = imports.filter(
      ({ from, to }) => roomOf(from) === "ui" && roomOf(to) === "cloud" && !cloudShapes.test(to),
    );
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("lets the server use only the engine's interface and scheduler", () => {
    const broken = imports.filter(
      ({ from, to }) =>
        roomOf(from) === "server" && to.startsWith("source/engine/") && !engineDoors.test(to),
    );
    expect(broken).toEqual([]);
  });

  it("finds a file for every relative import", () => {
    const missing = imports.filter(({ to }) => to.startsWith("source/") && !files.includes(to));
    expect(missing).toEqual([]);
  });
});

describe("heavy libraries", () => {
  it.each(Object.entries(libraryDoors))("%s has one importer", (library, door) => {
    const elsewhere = imports.filter(
      ({ from, to, isTypeOnly }) =>
        (to === library || to.startsWith(`${library}/`)) && !isTypeOnly && !door.test(from),
    );
    expect(elsewhere).toEqual([]);
  });

  it("Ink's Text is drawn only by the components that clean its strings", () => {
    const drawing = imports.filter(({ to, names }) => to === "ink" && names.includes("Text"));
    expect(drawing.map(({ from }) => from).sort()).toEqual([
      "source/ui/components/line.tsx",
      "source/ui/components/text.tsx",
    ]);
  });

  it("are not loaded before they are needed", () => {
    const reached = reachableStatically("cli.tsx");
    const loaded = imports.filter(
      ({ from, to, isTypeOnly, isDynamic }) =>
        reached.has(from) && to in libraryDoors && !isTypeOnly && !isDynamic,
    );
    expect(loaded).toEqual([]);
  });
});

describe("a command", () => {
  const start = ["cli.tsx", "source/cli/program/run-program.ts", "source/cli/modelctl-program.ts"];
  const heavyOf = (entries: string[]) => {
    const reached = new Set(entries.flatMap((file) => [...reachableStatically(file)]));
    const heavy = imports.filter(
      ({ from, to, isTypeOnly, isDynamic }) =>
        reached.has(from) && to in libraryDoors && !isTypeOnly && !isDynamic,
    );
    return [...new Set(heavy.map(({ to }) => to))];
  };

  it("starts without any heavy library, and --version without meow", () => {
    expect(heavyOf(start)).toEqual([]);
  });

  it("such as list loads neither the screens nor an engine", () => {
    const reader = "source/cli/program/read-command-line.ts";
    expect(heavyOf([...start, reader, "source/cli/commands/list.ts"])).toEqual(["meow"]);
  });
});

function reachableStatically(start: string): Set<string> {
  const seen = new Set<string>([start]);
  const waiting = [start];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const { from, to, isTypeOnly, isDynamic } of imports) {
      if (from !== file || isTypeOnly || isDynamic || seen.has(to) || !files.includes(to)) continue;
      seen.add(to);
      waiting.push(to);
    }
  }
  return seen;
}

it("has no import cycles", () => {
  const edges = new Map<string, string[]>();
  // Types and what is loaded later count too: who reads the one file must read the other.
  for (const { from, to } of imports) {
    if (files.includes(to)) edges.set(from, [...(edges.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: string[]) => {
    if (trail.includes(file)) {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(" -> "));
      return;
    }
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});
