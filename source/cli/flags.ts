// Every flag there is: its kind, how help explains it. A command lists the ones that it takes.

interface FlagDefinition {
  type: "string" | "boolean";
  /** What stands for the value in help. */
  value?: string;
  /** Given without a value, it means this one; a value must then follow an equals sign. */
  bare?: string;
  text: string;
}

export const flagTable = {
  host: { type: "string", value: "HOST", text: "address to bind or to reach (MODELCTL_HOST)" },
  port: { type: "string", value: "PORT", text: "port to bind or to reach; usually 11434" },
  connect: { type: "string", value: "URL", text: "use the server at URL and start none" },
  key: { type: "string", value: "KEY", text: "key for that server" },
  gpu: {
    type: "string",
    value: "DEVICE",
    text: "auto, cpu, cuda, metal, rocm or vulkan (MODELCTL_GPU)",
  },
  "num-parallel": {
    type: "string",
    value: "N",
    text: "requests that a model answers at the same time; usually 4",
  },
  "context-length": {
    type: "string",
    value: "N",
    text: "tokens of one conversation's window; usually 4096",
  },
  keepalive: {
    type: "string",
    value: "TIME",
    text: "how long the model stays loaded afterwards, such as 10m; -1 for good",
  },
  system: { type: "string", value: "TEXT", text: "system text" },
  preload: { type: "string", value: "MODEL", text: "load this model at once" },
  verbose: { type: "boolean", text: "print counts and times after each answer" },
  plain: { type: "boolean", text: "a line loop instead of the full screen" },
  debug: { type: "boolean", text: "log what the engine says" },
  background: { type: "boolean", text: "leave when idle for five minutes" },
  origin: { type: "boolean", text: "tell where each value comes from" },
} as const satisfies Record<string, FlagDefinition>;

export type FlagName = keyof typeof flagTable;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type NamesOf<Type> = {
  [Name in FlagName]: (typeof flagTable)[Name]["type"] extends Type ? Name : never;
}[FlagName];

/** Flags as typed: texts that were not typed are absent, toggles false. */
export type Flags = { [Name in NamesOf<"string"> as CamelCase<Name>]?: string } & {
  [Name in NamesOf<"boolean"> as CamelCase<Name>]: boolean;
};

export function flagDefinition(name: FlagName): FlagDefinition {
  return flagTable[name];
}

export function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
