// Remembers the last result of a function.

/** Returns a function that calls `make` again only if an argument is not identical to the last one. */
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
