// Extracts the parser cases from llama.cpp's tests/test-chat.cpp: a request, a real output, and the
// expected message.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface CaseMessage {
  role: string;
  content: string;
  thinking: string;
  calls: Array<{ name: string; arguments: string }>;
}

/** One case as `print-cases.cpp` prints it. */
export interface ParserCase {
  /** Path of the chat template inside llama.cpp. */
  template: string;
  input: string;
  /** False when the expected content still contains the thinking and its tags. */
  readsThinking: boolean;
  /** True when the template enables thinking. */
  thinks: boolean;
  tools: Array<{ name: string; description: string; parameters: string }>;
  messages: CaseMessage[];
  /** True when the output continues the last message, whose text the expected message includes. */
  continues: boolean;
  /** True when the output is cut off and the expected message has a partial call. */
  isPartial: boolean;
  expected: CaseMessage;
}

/**
 * @param checkout a clone of llama.cpp
 * @param folder where the program that prints the cases is built
 * @throws without a C++ compiler, or when the format of test-chat.cpp has changed
 */
export async function extractCases(checkout: string, folder: string): Promise<ParserCase[]> {
  await mkdir(folder, { recursive: true });
  const source = await readFile(path.join(checkout, "tests/test-chat.cpp"), "utf8");
  const tables = [
    between(source, "static common_chat_tool special_function_tool{", "// Use for PEG parser"),
    between(
      source,
      "static void test_lfm2_parser(",
      "static void test_template_generation_prompt(",
    ),
  ];
  await writeFile(path.join(folder, "cases.inc"), tables.join("\n"));
  const program = path.join(folder, "print-cases");
  const printer = path.join(import.meta.dirname, "print-cases.cpp");
  const compiler = process.env.CXX ?? "c++";
  await run(compiler, ["-std=c++17", "-O0", "-w", "-I", folder, printer, "-o", program]);
  const { stdout } = await run(program, { maxBuffer: 64 << 20 });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ParserCase);
}

function between(source: string, begin: string, end: string): string {
  const from = source.indexOf(begin);
  const to = source.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`test-chat.cpp has no part from "${begin}" to "${end}"`);
  return source.slice(from, to);
}
