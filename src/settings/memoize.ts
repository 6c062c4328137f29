/**
 * A function that remembers its results by its arguments, which must have a form in JSON. It forgets all of them once
 * there are `most`.
 */
export function memoize<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
  most = 1_000,
): (...args: Args) => Result {
  const known = new Map<unknown, Result>();
  return (...args) => {
    const key = typeof args[0] === "string" && args.length === 1 ? args[0] : JSON.stringify(args);
    if (!known.has(key)) {
      if (known.size >= most) known.clear();
      known.set(key, compute(...args));
    }
    return known.get(key) as Result;
  };
}
