// Dockerfile settings that apply without a container: variables and packages.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";

interface Read {
  base: string | null;
  env: Record<string, string>;
  pip: string[];
  ignored: string[];
  secrets: string[];
}

function read(text: string, buildArguments: Record<string, string> = {}): Read {
  const [found] = readAll([[text, buildArguments]]);
  if (found === undefined) throw new Error("nothing was read");
  return found;
}

function readAll(cases: readonly [text: string, buildArguments: Record<string, string>][]): Read[] {
  const code =
    "import json, sys; from deployctl_reading import dockerfile; print(json.dumps([dockerfile.read(*case) for case in json.load(sys.stdin)]))";
  const output = execFileSync("python3", ["-B", "-c", code], {
    input: JSON.stringify(cases),
    encoding: "utf8",
    env: { PATH: process.env.PATH, PYTHONPATH: pythonFolder() },
  });
  return JSON.parse(output) as Read[];
}

test("reads variables in both forms, nested and over several lines", () => {
  const { env } = read(`
FROM python:3.12
# a comment
ENV A=1 B="two words" \\
    # a comment between
    C='x'
env OLD the whole rest
ARG VERSION=1.0
ENV D=\${A}-$B-\${VERSION}-\${NONE:-none}-$UNSET
`);
  expect(env).toEqual({
    A: "1",
    B: "two words",
    C: "x",
    OLD: "the whole rest",
    D: "1-two words-1.0-none-$UNSET",
  });
});

test("reads packages of pip and uv in any spelling, and lists other commands", () => {
  const { pip, ignored } = read(`
FROM a
RUN apt-get update && pip install --no-cache-dir "vllm==0.15.1" && rm -rf /tmp/x
RUN --mount=type=cache,target=/root/.cache uv pip install --system --index-url https://x/y torch 'numpy<3'
RUN python3 -m pip install -U transformers; /opt/venv/bin/pip3 install uvloop
RUN ["pip", "install", "httptools"]
RUN pip install -r requirements.txt
RUN <<EOF
pip install einops
echo done
EOF
COPY . /app
CMD ["serve"]
`);
  expect(pip).toEqual([
    "vllm==0.15.1",
    "torch",
    "numpy<3",
    "transformers",
    "uvloop",
    "httptools",
    "einops",
  ]);
  expect(ignored).toEqual([
    "RUN apt-get update && rm -rf /tmp/x",
    "RUN pip install -r requirements.txt",
    "RUN echo done",
    "COPY . /app",
    'CMD ["serve"]',
  ]);
});

test("uses the last of several stages, with its base", () => {
  const found = read(
    `
ARG TAG=1
FROM base:$TAG AS first
ENV FROM_FIRST=1
FROM other
ENV UNUSED=1
FROM first
ENV OWN=2
`,
    { TAG: "7" },
  );
  expect(found).toMatchObject({ base: "base:7", env: { FROM_FIRST: "1", OWN: "2" } });
  expect(found.env).not.toHaveProperty("UNUSED");
});

test("ignores the container's own file system and secrets", () => {
  const found = read(
    "FROM a\nENV PATH=/opt/bin:$PATH HF_TOKEN=hf_0123456789 LD_LIBRARY_PATH=/x OK=1\n",
  );
  expect(found.env).toEqual({ OK: "1" });
  expect(found.ignored).toEqual(["ENV PATH=/opt/bin:$PATH", "ENV LD_LIBRARY_PATH=/x"]);
  expect(found.secrets).toEqual(["HF_TOKEN"]);
  expect(JSON.stringify(found)).not.toContain("0123456789");
});

test("unfinished and empty instructions are accepted", () => {
  const texts = [
    "",
    "FROM",
    "garbage\\",
    "ENV",
    "ENV X",
    "RUN pip install 'unfinished",
    "FROM a\nENV =x",
  ];
  for (const { pip } of readAll(texts.map((text) => [text, {}]))) expect(pip).toBeInstanceOf(Array);
});
