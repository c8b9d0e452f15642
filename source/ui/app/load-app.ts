// Loads the screens as fast as possible: React's production build, which halves the time per frame,
// and one of the 400 modules that Ink asks for.

import module from "node:module";

const inkThrottle = new URL(
  `./ink-throttle${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
).href;

/**
 * React reads the variable only while it loads; it is removed again, so that programs started
 * later, such as an editor, do not inherit it.
 */
export async function loadApp(): Promise<typeof import("./run-app.tsx")> {
  const { env } = process;
  const { NODE_ENV: before } = env;
  env.NODE_ENV ??= "production";
  // Node before 22.15 has no such hooks.
  const hooks = module.registerHooks?.({
    resolve: (specifier, context, next) =>
      next(specifier === "es-toolkit/compat" ? inkThrottle : specifier, context),
  });
  try {
    return await import("./run-app.tsx");
  } finally {
    hooks?.deregister();
    if (before === undefined) delete env.NODE_ENV;
  }
}
