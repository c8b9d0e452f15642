// Raw request over a Unix socket, which our client would not send.
import http from "node:http";

export async function httpRaw(
  socketPath: string,
  { method, url, body }: { method: string; url: string; body: unknown },
): Promise<{ status: number; text: string }> {
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const outgoing = http.request(
      {
        ...{ socketPath, method, path: url, agent: false },
        headers: text === undefined ? {} : { "content-type": "application/json" },
      },
      (reply) => {
        let received = "";
        reply.setEncoding("utf8");
        reply.on("data", (piece: string) => {
          received += piece;
        });
        reply.once("end", () => resolve({ status: reply.statusCode ?? 0, text: received }));
        reply.once("error", reject);
      },
    );
    outgoing.once("error", reject);
    outgoing.end(text);
  });
}
