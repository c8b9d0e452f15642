// The environment that a runner is started with: what the C library and OpenMP read there.

const hugePages = "glibc.malloc.hugetlb";

/**
 * @param inherited what the server was started with; the user's own choice of huge pages stays
 */
export function runnerEnvironment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const tunables = (inherited.GLIBC_TUNABLES ?? "").split(":").filter((one) => one !== "");
  // Each step reads all weights. In pages of 2 MiB, where Linux lends them for the asking, it finds
  // them an eighth faster for one stream; other C libraries and systems do not look at this.
  if (!tunables.some((one) => one.startsWith(`${hugePages}=`))) tunables.push(`${hugePages}=1`);
  return {
    ...inherited,
    GLIBC_TUNABLES: tunables.join(":"),
    // OpenMP keeps a team of spinning threads for each thread that computes: one computes.
    UV_THREADPOOL_SIZE: "1",
  };
}
