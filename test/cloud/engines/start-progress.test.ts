import { expect, it } from "vitest";
import { progressOf } from "../../../source/cloud/engines/start-progress.ts";

it.each([
  [
    "Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:00<00:02,  1.05it/s]",
    "loading shards 1/4",
  ],
  ["Loading checkpoint shards:  50%|█████     | 2/4 [00:03<00:03]", "loading shards 2/4"],
  [
    "(EngineCore pid=12) Capturing CUDA graphs (decode, FULL):  17%|█▋  | 6/35 [00:01<00:05]",
    "capturing graphs 6/35",
  ],
  ["Capturing CUDA graph shapes: 100%|██████| 35/35 [00:05<00:00]", "capturing graphs 35/35"],
  [
    "Fetching 12 files:  33%|███▎      | 4/12 [00:02<00:04,  1.9it/s]",
    "downloading weights, 4/12 files",
  ],
  [
    "model-00001-of-00004.safetensors:  45%|████▌     | 2.23G/4.98G [00:12<00:15, 180MB/s]",
    "downloading weights, model-00001-of-00004.safetensors 45 % (2.23G of 4.98G)",
  ],
  ["INFO 11-21 gpu_model_runner.py:2653] Starting to load model LFM2...", "loading the model"],
  ["INFO:     Application startup complete.", "listening"],
  ['INFO: 10.0.0.1:5000 - "GET /health HTTP/1.1" 200 OK', undefined],
  ["", undefined],
])("reads %j as %j", (line, progress) => {
  expect(progressOf(line)?.text).toBe(progress);
});
