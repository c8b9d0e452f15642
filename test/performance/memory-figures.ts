// Memory of both servers with the same model, after the same chats.

import { readdir, readFile } from "node:fs/promises";
import { createPromptSource } from "./prompts.ts";
import type { Figure } from "./report.ts";
import { type ServerSettings, type StartServer, startOurs } from "./server-process.ts";

const fewTokens = 16;

/** Linux only: elsewhere there are no figures. */
export async function measureMemory(
  settings: ServerSettings,
  startPeer: StartServer,
): Promise<Figure[]> {
  if (process.platform !== "linux") return [];
  const ours = await holdOf(startOurs, settings);
  const peer = await holdOf(startPeer, settings);
  return [
    { label: "memory after a chat in each slot", unit: "MiB", samples: [ours] },
    { label: "memory after a chat in each slot, llama-server", unit: "MiB", samples: [peer] },
    {
      label: "memory, ours / peer",
      unit: "x",
      samples: [ours / peer],
      target: { bound: "below", value: 1.1 },
    },
  ];
}

/** @returns MiB */
async function holdOf(start: StartServer, settings: ServerSettings): Promise<number> {
  const server = await start(settings);
  try {
    const prompts = createPromptSource(1);
    const chats = Array.from({ length: settings.slots }, () => prompts.chat(100));
    await Promise.all(chats.map((chat) => server.client.chat(chat, fewTokens)));
    return (await heldBytes(server.processGroup)) / 2 ** 20;
  } finally {
    await server.stop();
  }
}

/**
 * Memory of all processes of a group: private memory, and each mapped page once, even if others
 * share it.
 */
async function heldBytes(processGroup: number): Promise<number> {
  const members: string[] = [];
  for (const name of await readdir("/proc")) {
    if (/^\d+$/.test(name) && (await groupOf(name)) === processGroup) members.push(name);
  }
  const files = new Map<string, number>();
  let ownBytes = 0;
  for (const member of members) {
    for (const { file, residentBytes, anonymousBytes } of await readMappings(member)) {
      ownBytes += anonymousBytes;
      // Two processes that map a file share most of its pages.
      const shared = residentBytes - anonymousBytes;
      if (file !== "") files.set(file, Math.max(files.get(file) ?? 0, shared));
      else ownBytes += shared;
    }
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, ownBytes);
}

async function groupOf(processId: string): Promise<number | undefined> {
  const text = await readFile(`/proc/${processId}/stat`, "utf8").catch(() => "");
  // Counts fields from the last bracket, as the name before it may contain anything.
  const field = text.slice(text.lastIndexOf(")") + 2).split(" ")[2];
  return field === undefined ? undefined : Number(field);
}

interface Mapping {
  /** File and offset; empty without a file. */
  file: string;
  residentBytes: number;
  anonymousBytes: number;
}

/** A line of https://man7.org/linux/man-pages/man5/proc_pid_smaps.5.html */
async function readMappings(processId: string): Promise<Mapping[]> {
  const text = await readFile(`/proc/${processId}/smaps`, "utf8");
  const bytesOf = (part: string, name: string) =>
    1024 * Number(new RegExp(`^${name}: +(\\d+) kB`, "m").exec(part)?.[1] ?? 0);
  return text.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).map((part) => {
    const head = /^\S+ \S+ (\S+) \S+ \d+ *(.*)$/m.exec(part);
    const isFile = head?.[2]?.startsWith("/") === true;
    return {
      file: isFile ? `${head?.[2]} ${head?.[1]}` : "",
      residentBytes: bytesOf(part, "Rss"),
      anonymousBytes: bytesOf(part, "Anonymous"),
    };
  });
}
