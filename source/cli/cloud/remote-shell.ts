// This terminal as that of a shell next to a replica: keys and window size there, output here.
import { PassThrough } from "node:stream";
import { ReadStream, WriteStream } from "node:tty";
import { ProductError } from "../../base/product-error.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import type { ShellInput } from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { usageError } from "../errors.ts";

/**
 * @param onOpen called before the shell's first output
 * @returns exit code of the shell
 * @throws ProductError `COMMAND_USAGE` without a terminal, `CLOUD_CONFLICT` once the replica has ended,
 *   those of the server
 */
export async function attachShell(
  client: AdminClient,
  replica: string,
  onOpen: () => void,
): Promise<number> {
  const { stdin, stdout } = process;
  if (!(stdin instanceof ReadStream && stdout instanceof WriteStream)) {
    throw usageError(
      "A shell needs a terminal.",
      `Use deployctl runners exec ${replica} COMMAND in scripts.`,
    );
  }
  const input = new PassThrough();
  const send = (line: ShellInput) => void input.write(`${JSON.stringify(line)}\n`);
  const size = () => ({ rows: stdout.rows, columns: stdout.columns });
  const onKeys = (keys: Buffer) => send({ keysBase64: keys.toString("base64") });
  const onResize = () => send(size());
  const onEnd = () => input.end();
  const terminal = { ...size(), type: process.env.TERM || "xterm" };
  const events = client.shell(replica, terminal, { input });
  try {
    stdin.setRawMode(true).on("data", onKeys).once("end", onEnd);
    stdout.on("resize", onResize);
    let isOpen = false;
    for await (const event of events) {
      if (!isOpen) onOpen();
      isOpen = true;
      if (event.kind === "output") stdout.write(Buffer.from(event.base64, "base64"));
      else if (event.isWithReplica) throw endedWithReplica(replica);
      else return event.code;
    }
  } finally {
    stdin.setRawMode(false).off("data", onKeys).off("end", onEnd).pause();
    stdout.off("resize", onResize);
    input.destroy();
  }
  throw new ProductError(cloudErrors.serverUnreachable, {
    message: "The server closed the connection to the shell.",
    hint: "Check it with `deployctl status`.",
  });
}

function endedWithReplica(replica: string): ProductError {
  return new ProductError(cloudErrors.conflict, {
    message: `Runner ${replica} has ended, and the shell with it.`,
    hint: "Run deployctl runners list to see the running ones.",
  });
}
