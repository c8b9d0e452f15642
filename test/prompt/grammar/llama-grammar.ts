// llama.cpp's own grammar parser, to check which texts a grammar accepts.
import { type Addon, findAddonBinary, openAddon } from "../../../source/engine/text/addon.ts";

let opened: Promise<Addon> | undefined;

async function openedAddon(): Promise<Addon> {
  const binary = findAddonBinary("cpu");
  if (binary === undefined) throw new Error("no CPU build is installed");
  opened ??= openAddon(binary, () => {});
  return await opened;
}

export type Accepts = (text: string) => boolean;

/** Compiles grammars; throws if llama.cpp cannot parse one. */
export async function grammarReader(): Promise<(grammar: string) => Accepts> {
  const addon = await openedAddon();
  return (grammar) => {
    const read = new addon.AddonGrammar(grammar, { addonExports: addon });
    const isCompatible: unknown = Reflect.get(read, "isTextCompatible");
    if (typeof isCompatible !== "function") throw new Error("the addon cannot test a text");
    return (text) => Reflect.apply(isCompatible, read, [text]) === true;
  };
}
