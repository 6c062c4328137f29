/** What was read ahead, then the rest; the rest is ended whenever the reader stops, even before it got there. */
export async function* prepend<T>(head: T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* head;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
