/** Requests to the API from the pages' own scripts, with the session that GET /session gives any visitor. */

let session: Promise<void> | undefined;

/**
 * Fetches a path of the API, with errors in the page's language. Gets a session first, and another one if it has
 * expired. Resolves to the response, whatever its status; rejects without an answer.
 */
export async function askApi(
  path: string,
  given: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const options = {
    ...given,
    headers: { "Accept-Language": document.documentElement.lang, ...given.headers },
  };
  session ??= askSession();
  await session;
  const response = await fetch(path, options);
  if (response.status !== 401) return response;
  session = askSession();
  await session;
  return fetch(path, options);
}

async function askSession() {
  try {
    await fetch("/session", { cache: "no-store" });
  } catch (error) {
    session = undefined;
    throw error;
  }
}
