// Pulls owner/name in a separate process. Arguments: the hub's address and the store's folder.
// Each progress report is a line of JSON; the last line is the result or the error.
import { ProductError } from "../../../source/base/product-error.ts";
import { fetchModel } from "../../../source/store/hub/fetch-model.ts";
import { readHubSettings } from "../../../source/store/hub/hub-settings.ts";
import { ModelStore } from "../../../source/store/library/model-store.ts";

const [url, folder = ""] = process.argv.slice(2);

try {
  const model = await fetchModel(
    { owner: "owner", repo: "name" },
    {
      blobs: new ModelStore(folder),
      settings: await readHubSettings({ ...process.env, HF_ENDPOINT: url }),
      onProgress: (progress) => print({ progress }),
      connection: {
        stallTimeoutMs: 2000,
        retryPolicy: { tries: 3, firstDelayMs: 10, longestDelayMs: 50 },
      },
      tuning: {
        partSizes: { connections: 4, smallestBytes: 64 * 1024, largestBytes: 512 * 1024 },
        noteIntervalMs: 10,
      },
    },
  );
  print({ digests: model.files.map(({ digest }) => digest) });
} catch (error) {
  if (!(error instanceof ProductError)) throw error;
  print({ error: { code: error.code, sentence: error.sentence } });
  process.exitCode = error.exitCode;
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
