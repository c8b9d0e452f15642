// Nearly valid HTTP/1.1 requests: smuggling, oversized heads, bad chunks, unusual codings.
import type { Dice } from "./dice.ts";
import { mutateBytes } from "./mutate-bytes.ts";
import type { RawConversation } from "./raw-socket.ts";

const methods = [
  "GET",
  "POST",
  "HEAD",
  "DELETE",
  "OPTIONS",
  "PUT",
  "CONNECT",
  "TRACE",
  "get",
  "G\0T",
];
const versions = ["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9", "http/1.1", ""];
const lineEnds = ["\r\n", "\r\n", "\r\n", "\n", "\r"];
const headers = [
  "Content-Length: 5",
  "Content-Length: 0",
  "Content-Length: -1",
  "Content-Length: 5, 6",
  "Content-Length: 99999999999999999999",
  "Content-Length : 5",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: identity",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding: gzip, chunked",
  "Expect: 100-continue",
  "Expect: something",
  "Connection: close",
  "Connection: keep-alive, Upgrade, X-A",
  "Upgrade: websocket",
  "Sec-WebSocket-Key: x",
  "Content-Encoding: gzip",
  "Content-Encoding: br, gzip",
  "Content-Type: multipart/form-data",
  "Origin: http://evil.example",
  "Host: evil.example",
  "Host: 127.0.0.1%evil.example",
  "X-Forwarded-For: 1.2.3.4, , unknown",
  "X-Real-IP: 1.2.3.4",
  'Forwarded: for="[::1]:x";proto=https;host="a b"',
  "Range: bytes=0-0,-1",
  " folded: header",
  "No-Colon",
  ": no name",
  "Ünïcode: x",
  "Cookie: a=b\0c",
];
const bodies = [
  "hello",
  "5\r\nhello\r\n0\r\n\r\n",
  "5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
  "zz\r\nhello",
];
const more = [
  "-5\r\nhello\r\n0\r\n\r\n",
  "ffffffffffffffff\r\nhello",
  "0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
  "{}",
  "",
];

/** @param extra headers that this server reads */
export function conversationOf(
  dice: Dice,
  host: string,
  paths: readonly string[],
  extra: readonly string[] = [],
): RawConversation {
  const requests = dice.times(1 + dice.below(3), () => requestOf(dice, host, paths, extra));
  const whole = Buffer.from(requests.join(""), "latin1");
  const bytes = dice.chance(0.3) ? mutateBytes(dice, whole) : whole;
  return { pieces: inPieces(dice, bytes), isHalfClosed: dice.chance(0.3) };
}

function requestOf(
  dice: Dice,
  host: string,
  paths: readonly string[],
  extra: readonly string[],
): string {
  const end = dice.pick(lineEnds);
  const path = dice.chance(0.1) ? `/${"a".repeat(40_000)}` : dice.pick(paths);
  const version = dice.chance(0.8) ? "HTTP/1.1" : dice.pick(versions);
  const lines = [`${dice.pick(methods)} ${path} ${version}`];
  if (dice.chance(0.9)) lines.push(`Host: ${host}`);
  lines.push(...dice.some([...headers, ...extra], 0.08));
  if (dice.chance(0.05)) lines.push(`X-Large: ${"a".repeat(70_000)}`);
  if (dice.chance(0.05)) lines.push(...dice.times(3000, (index) => `X-${index}: y`));
  return lines.join(end) + end + end + dice.pick([...bodies, ...more]);
}

function inPieces(dice: Dice, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const count = 1 + dice.below(4);
  for (let from = 0; from < bytes.length; ) {
    const to = pieces.length + 1 >= count ? bytes.length : from + 1 + dice.below(bytes.length);
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  return pieces;
}
