// Repositories of a loopback hub as known publishers have them: sizes, templates, figures; nothing that
// could be downloaded, since the files are empty.
import type { HubRepository } from "./loopback-hub.ts";

const chatTemplate = "{% for message in messages %}{{ message.content }}{% endfor %}";
const toolTemplate = `${chatTemplate}{% if tools %}{{ tools }}{% endif %}`;

interface Sample {
  billions: number;
  /** Size of the file in Q4_K_M. */
  gigabytes: number;
  downloads?: number;
  ageDays?: number;
  tags?: string[];
  template?: string;
  hasProjector?: boolean;
  access?: HubRepository["access"];
}

/** By repository. */
const samples: Record<string, Sample> = {
  "unsloth/Aster-0.6B-GGUF": { billions: 0.6, gigabytes: 0.4 },
  "unsloth/Aster-1.7B-GGUF": { billions: 1.7, gigabytes: 1.1 },
  "unsloth/Aster-8B-GGUF": { billions: 8.2, gigabytes: 5 },
  "bartowski/acme_Aster-8B-GGUF": { billions: 8.2, gigabytes: 5, downloads: 10 },
  "unsloth/Aster-32B-GGUF": { billions: 32, gigabytes: 19.8 },
  "unsloth/Aster-30B-A3B-GGUF": { billions: 30, gigabytes: 18.6 },
  "bartowski/Oldtimer-9B-GGUF": { billions: 9, gigabytes: 5.5, ageDays: 1400 },
  "Qwen/Scribe-Coder-3B-GGUF": { billions: 3, gigabytes: 1.9, template: toolTemplate },
  "ggml-org/Lookout-4B-GGUF": { billions: 4, gigabytes: 2.5, hasProjector: true },
  "nomic-ai/textus-embed-GGUF": {
    billions: 0.14,
    gigabytes: 0.08,
    tags: ["sentence-similarity"],
    template: "",
  },
  "bartowski/Aster-8B-base-GGUF": { billions: 8.2, gigabytes: 5 },
  "google/Closed-9B-GGUF": { billions: 9, gigabytes: 5.5, access: "gated" },
  "stranger/Best-9B-GGUF": { billions: 9, gigabytes: 5.5, downloads: 9e9 },
};

const dayMs = 86_400_000;

/** @param nowMs since 1970 */
export function sampleRepositories(nowMs: number): {
  repositories: Record<string, HubRepository>;
  listedSizes: Record<string, number>;
} {
  const entries = Object.entries(samples).map(([repo, sample]) => {
    const { billions, downloads = 100_000, ageDays = 60, tags = [], access, gigabytes } = sample;
    const { template = chatTemplate, hasProjector = false } = sample;
    const file = `${repo.slice(repo.indexOf("/") + 1).replace(/-GGUF$/, "")}-Q4_K_M.gguf`;
    const projector = `mmproj-${file}`;
    const repository: HubRepository = {
      files: {
        [file]: Buffer.from(repo),
        ...(hasProjector && { [projector]: Buffer.from(projector) }),
      },
      ...(access !== undefined && { access }),
      facts: {
        downloads,
        lastModified: new Date(nowMs - ageDays * dayMs).toISOString(),
        tags: ["gguf", "license:apache-2.0", ...tags],
        gguf: { total: billions * 1e9, architecture: "aster", chat_template: template },
      },
    };
    const sizes = { [file]: gigabytes * 1e9, ...(hasProjector && { [projector]: 0.8e9 }) };
    return { repo, repository, sizes };
  });
  return {
    repositories: Object.fromEntries(entries.map(({ repo, repository }) => [repo, repository])),
    listedSizes: Object.assign({}, ...entries.map(({ sizes }) => sizes)),
  };
}
