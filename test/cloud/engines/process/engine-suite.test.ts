// The process engine does what every engine must.

import { endEngine, makeStateFolder, openEngine } from "../../../support/process-engine.ts";
import { describeEngine, quickHealth } from "../../support/engine-suite.ts";

describeEngine("process", async () => {
  const folder = makeStateFolder();
  const options = { health: quickHealth, orphanGraceMs: 0 };
  let open = openEngine(folder, options);
  return {
    folder,
    get engine() {
      return open.engine;
    },
    reopen: async () => {
      await open.close();
      open = openEngine(folder, options);
    },
    end: async () => await endEngine(folder, open),
  };
});
