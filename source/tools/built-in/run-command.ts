// Tool that runs a command in the working folder. No permission covers it: each call is asked about,
// unless --allow-command names the command.
import { runGroup } from "../../base/process-group.ts";
import { serverEnvironment } from "../server-environment.ts";
import { type BuiltInTool, ToolFailure } from "./built-in-server.ts";

/** Of the output, the beginning and the end are kept: failures are at the end. */
const maxHeadBytes = 16 * 1024;
const maxTailBytes = 32 * 1024;

export const runCommand: BuiltInTool = {
  name: "run_command",
  description: "Run a command of the shell in the working folder and return its output",
  parameters: { command: { type: "string", description: "Command line" } },
  isReadOnly: false,
  alwaysAsks: true,
  async run(values, { folder, signal }) {
    const command = values.text("command");
    if (command.trim() === "" || command.includes("\0")) {
      throw new ToolFailure("The argument command is empty or contains a zero byte.");
    }
    signal.throwIfAborted();
    const output = new KeptOutput();
    const options = { cwd: folder, env: serverEnvironment(), shell: true, signal };
    const { stdout, stderr, ended } = runGroup(command, [], options);
    stdout.on("data", (piece: Buffer) => output.add(piece));
    stderr.on("data", (piece: Buffer) => output.add(piece));
    const failure = await ended;
    signal.throwIfAborted();
    if (failure === undefined) return output.text;
    throw new ToolFailure([output.text, `[${failure}]`].filter((text) => text !== "").join("\n"));
  },
};

/** Output as it came, without its middle if it is long. */
class KeptOutput {
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #leftOutBytes = 0;

  add(piece: Buffer): void {
    const head = piece.subarray(0, maxHeadBytes - this.#headBytes);
    if (head.length > 0) this.#head.push(head);
    this.#headBytes += head.length;
    this.#tail.push(piece.subarray(head.length));
    this.#tailBytes += piece.length - head.length;
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      if (this.#tailBytes - first.length < maxTailBytes) break;
      this.#tail.shift();
      this.#tailBytes -= first.length;
      this.#leftOutBytes += first.length;
    }
  }

  get text(): string {
    if (this.#leftOutBytes === 0) return Buffer.concat([...this.#head, ...this.#tail]).toString();
    const [head, tail] = [this.#head, this.#tail].map((list) => Buffer.concat(list).toString());
    return `${head}\n[… ${this.#leftOutBytes} bytes left out …]\n${tail}`;
  }
}

/** Signs by which one command line holds several commands, or the output of another. */
const joining = process.platform === "win32" ? /[;&|<>()`$\r\n^%]/ : /[;&|<>()`$\r\n]/;

/**
 * Tells if a command fits a pattern, in which `*` stands for any text that joins no other command to it.
 */
export function fitsCommand(pattern: string, command: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return command === pattern;
  if (!command.startsWith(first)) return false;
  const end = command.length - last.length;
  if (end < first.length || !command.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = command.indexOf(part, at);
    if (found < 0 || found + part.length > end || joining.test(command.slice(at, found))) {
      return false;
    }
    at = found + part.length;
  }
  return !joining.test(command.slice(at, end));
}
