// Remembers the last result of a function, for callers that ask for the same many times over.

/** @returns the function; it is called again when an argument is not the very same as last time */
export function memoizeLast<Args extends readonly unknown[], Result>(
  make: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | undefined;
  return (...args) => {
    if (last === undefined || args.some((arg, index) => arg !== last?.args[index])) {
      last = { args, result: make(...args) };
    }
    return last.result;
  };
}
