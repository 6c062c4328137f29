/** The API as the pages' own scripts ask it: with the session that the site hands to anybody (GET /session). */

let session: Promise<void> | undefined;

/**
 * Asks a path of the API, whose errors come in the page's language. The session is asked for before the first answer
 * is needed, and once more where it has run out. Resolves to the response, whatever its status; rejects when nothing
 * answers.
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
