// Environment variables of a runner, for the C library and OpenMP.

const hugePages = "glibc.malloc.hugetlb";

/**
 * @param inherited the server's environment; a user's own huge-page setting wins
 */
export function runnerEnvironment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const tunables = (inherited.GLIBC_TUNABLES ?? "").split(":").filter((one) => one !== "");
  // Each step reads all weights. With pages of 2 MiB, on Linux systems that grant them on request, one
  // stream is an eighth faster; other C libraries and systems ignore the variable.
  if (!tunables.some((one) => one.startsWith(`${hugePages}=`))) tunables.push(`${hugePages}=1`);
  return {
    ...inherited,
    GLIBC_TUNABLES: tunables.join(":"),
    // OpenMP keeps a team of spinning threads for each computing thread: one is enough.
    UV_THREADPOOL_SIZE: "1",
  };
}
