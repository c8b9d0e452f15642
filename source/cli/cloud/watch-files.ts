// Watches a script's files for changes.
import { watch } from "node:fs";
import path from "node:path";

/** Editors write a file in several steps. */
const settleMs = 200;

/** @param onChange called once, when writing has stopped */
export function watchFiles(files: readonly string[], onChange: () => void): { close(): void } {
  // Watches folders: editors replace files.
  const folders = new Map<string, Set<string>>();
  for (const file of files) {
    const names = folders.get(path.dirname(file)) ?? new Set();
    folders.set(path.dirname(file), names.add(path.basename(file)));
  }
  let timer: NodeJS.Timeout | undefined;
  const watchers = [...folders].map(([folder, names]) =>
    watch(folder, (_event, name) => {
      if (name === null || !names.has(name)) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, settleMs);
    }),
  );
  return {
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
