// Resources of tool servers that a message names: @server:uri.

import type { TextFile } from "../../client/attachments/text-files.ts";
import type { ChatTools } from "../chat-backend.ts";

export interface ResourceMention {
  readonly server: string;
  /** As typed: a sentence may end after it. */
  readonly uri: string;
}

const mention = /(?<=^|\s)@([A-Za-z0-9][A-Za-z0-9_.-]{0,63}):(\S+)/g;
const sentenceEnd = /[.,;:!?)]+$/;

/** Returns the mentions of servers that are on, each once. */
export function resourceMentions(
  text: string,
  tools: ChatTools | undefined,
): readonly ResourceMention[] {
  const servers = new Set(tools?.set.servers.map(({ name }) => name));
  const found = Array.from(text.matchAll(mention), ([written, server = "", uri = ""]) => ({
    written,
    server,
    uri,
  }));
  return [...new Map(found.map(({ written, ...each }) => [written, each])).values()].filter(
    ({ server }) => servers.has(server),
  );
}

/** Returns the text without the mentions, for what reads other names in it. */
export function withoutMentions(text: string, mentions: readonly ResourceMention[]): string {
  return mentions.reduce((rest, { server, uri }) => rest.replaceAll(`@${server}:${uri}`, ""), text);
}

/** @throws ProductError `TOOLS_CALL_FAILED` naming the resource that cannot be read */
export async function readResources(
  mentions: readonly ResourceMention[],
  tools: ChatTools | undefined,
): Promise<readonly TextFile[]> {
  if (tools === undefined || mentions.length === 0) return [];
  const listed = await tools.set.resources();
  return await Promise.all(
    mentions.map(async ({ server, uri: typed }) => {
      const isListed = listed.some((each) => each.server === server && each.uri === typed);
      const uri = isListed ? typed : typed.replace(sentenceEnd, "");
      return { name: `${server}:${uri}`, text: await tools.set.read(server, uri) };
    }),
  );
}

/** A resource as a completion of `@`. */
export interface ResourceItem {
  /** `server:uri` */
  readonly value: string;
  readonly title: string;
  readonly note: string;
}

/** Returns the resources of servers that are on, for completion. */
export async function resourceItems(
  tools: ChatTools | undefined,
): Promise<readonly ResourceItem[]> {
  const resources = (await tools?.set.resources()) ?? [];
  return resources.map(({ server, uri, title }) => {
    const value = `${server}:${uri}`;
    return { value, title: value, note: title === uri ? "" : title };
  });
}
