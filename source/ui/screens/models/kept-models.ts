// Why a model cannot be taken away here: only those of our own store can.
import type { LocalModel } from "../../../client/models-store.ts";

/** One sentence, or undefined for a model that can be deleted and renamed. */
export function whyKept({ name, store }: Pick<LocalModel, "name" | "store">): string | undefined {
  switch (store) {
    case "modelctl":
      return undefined;
    case "ollama":
      return `${name} is in Ollama's store, which is only read here: ollama rm ${name} deletes it`;
    case "lm-studio":
      return `${name} is in LM Studio's folder, which is only read here: delete it there`;
    default:
      return `${name} comes with the program and stays; c makes a copy under a name of yours`;
  }
}
