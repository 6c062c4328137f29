import { z } from "zod";
import { openSession } from "../site.ts";
import { ANSWERS, type Engine, type Reply } from "./engine.ts";

const foundPage = z.object({
  total: z.number(),
  total_is_lower_bound: z.literal(true).optional(),
  results: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      names: z.record(z.string(), z.string()).default({}),
      match: z.string(),
    }),
  ),
});

/** Almanac's own search of one kind over HTTP, asked as an anonymous visitor's browser does. */
export async function createAlmanac(origin: string, kind: string): Promise<Engine> {
  const cookie = await openSession(origin);
  return {
    name: "Almanac",
    search: async (text) => {
      const url = `${origin}/api/${kind}/search?limit=${ANSWERS}&q=${percentEncode(text)}`;
      const response = await get(url, cookie);
      return response.status === 200 ? readPage(await response.json()) : readRefusal(response);
    },
  };
}

/** A kept connection that the server has just closed makes the first try fail; browsers try again, too. */
async function get(url: string, cookie: string): Promise<Response> {
  const ask = () => fetch(url, { headers: { cookie } });
  return ask().catch(ask);
}

function readPage(body: unknown): Reply {
  const answers = foundPage.parse(body).results.map(({ id, name, names, match }) => {
    const others = Object.values(names).filter((other) => other !== name);
    return { id, label: `${[name, ...new Set(others)].join(" / ")} [${match}]` };
  });
  return { answers };
}

/** A well-formed 400 is a way of answering that nothing was found. */
async function readRefusal(response: Response): Promise<Reply> {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  await response.arrayBuffer();
  if (response.status === 400 && isProblem) return { answers: [] };
  return { answers: [], failed: `status ${response.status}` };
}

/** Lone surrogates become the three bytes that a careless client sends, which encodeURIComponent refuses. */
export function percentEncode(text: string): string {
  return [...text]
    .map((letter) => (letter.isWellFormed() ? encodeURIComponent(letter) : encodeSurrogate(letter)))
    .join("");
}

function encodeSurrogate(letter: string): string {
  const unit = letter.charCodeAt(0);
  const bytes = [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join("");
}
