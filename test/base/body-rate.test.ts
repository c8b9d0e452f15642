// Bodies below the minimum rate are reported once; fast ones never, however long they take.
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchBodyRate } from "../../source/base/body-rate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const onSlow = vi.fn();
afterEach(() => onSlow.mockClear());

/** Returns a request without any body yet, watched for 1,000 bytes per second. */
function watched() {
  const socket = Object.assign(new EventEmitter(), { bytesRead: 300 });
  const state = { complete: false, readableLength: 0, socket };
  const request = Object.assign(new EventEmitter(), state);
  watchBodyRate(request as unknown as IncomingMessage, { bytes: 1000, windowMs: 1000 }, onSlow);
  return request;
}

test("a slow but steady body may take forever", () => {
  const request = watched();
  for (let second = 0; second < 10_000; second += 1) {
    request.socket.bytesRead += 1000;
    vi.advanceTimersByTime(1000);
  }
  expect(onSlow).not.toHaveBeenCalled();
});

test("a body that starts fast and then drips is reported once", () => {
  const request = watched();
  request.socket.bytesRead += 1_000_000;
  vi.advanceTimersByTime(1000);
  for (let byte = 0; byte < 200; byte += 1) {
    request.socket.bytesRead += 1;
    vi.advanceTimersByTime(50);
  }
  expect(onSlow).toHaveBeenCalledOnce();
});

test("a slow reader is not the client's fault", () => {
  const request = watched();
  request.readableLength = 65_536;
  vi.advanceTimersByTime(60_000);
  expect(onSlow).not.toHaveBeenCalled();
  request.readableLength = 0;
  vi.advanceTimersByTime(1000);
  expect(onSlow).toHaveBeenCalledOnce();
});

test.each([
  [
    "has come whole",
    (request: ReturnType<typeof watched>) => Object.assign(request, { complete: true }),
  ],
  ["has ended", (request: ReturnType<typeof watched>) => request.emit("close")],
  ["lost its connection", ({ socket }: ReturnType<typeof watched>) => socket.emit("close")],
])("a body that %s is no longer watched", (_, end) => {
  const request = watched();
  end(request);
  vi.advanceTimersByTime(60_000);
  expect(onSlow).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
