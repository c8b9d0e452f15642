// Flags that several commands share.

export const serverFlags = [
  "org",
  "listen",
  "admin-listen",
  "base-url",
  "tls",
  "tls-cert",
  "tls-key",
  "behind-proxy",
  "insecure-http",
  "port-range",
] as const;
export const scriptFlags = [
  "app-name",
  "auth",
  "org",
  "env",
  "secret",
  "include",
  "requirement",
  "image-mode",
  "static",
  "port",
  "health-path",
  "machine-type",
  "gpus",
] as const;
export const scaleFlags = [
  "min-concurrency",
  "max-concurrency",
  "concurrency-buffer",
  "concurrency-buffer-perc",
  "max-multiplexing",
  "scaling-delay",
  "keep-alive",
] as const;
export const limitFlags = [
  "startup-timeout",
  "request-timeout",
  "drain-timeout",
  "cold-start",
  "sse-keepalive",
  "models-cache",
  "early-stream",
] as const;
export const switchFlags = ["strategy", "detach", "smoke"] as const;
export const logFlags = ["follow", "since", "search", "lines"] as const;
