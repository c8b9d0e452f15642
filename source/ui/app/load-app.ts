// Loads the screens with React's production build, which takes half the time for a frame.

/**
 * React reads the variable while it is loaded, and never again: programs that are started later, such as the
 * person's editor, do not inherit it.
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
