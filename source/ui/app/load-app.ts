// Loads the screens with React's production build, which halves the time per frame.

/**
 * React reads the variable only while it loads; it is removed again, so that programs started
 * later, such as an editor, do not inherit it.
 */
export async function loadApp(): Promise<typeof import("./run-app.tsx")> {
  const { env } = process;
  const { NODE_ENV: before } = env;
  env.NODE_ENV ??= "production";
  try {
    return await import("./run-app.tsx");
  } finally {
    if (before === undefined) delete env.NODE_ENV;
  }
}
