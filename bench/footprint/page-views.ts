/** Pages requested at once, as by a few visitors. */
const AT_ONCE = 4;

/** Views this many pages of all types that links lead to from the home page, every type as often. */
export async function viewPages(url: string, count: number): Promise<void> {
  const types = await findPages(url);
  const lists = [...types.values()];
  const pages: string[] = [];
  for (let round = 0; pages.length < count; round += 1) {
    for (const list of lists) pages.push(list[round % list.length] ?? "/");
  }
  const waiting = pages.slice(0, count);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
        const answer = await fetch(url + page);
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`${page} was answered ${answer.status}`);
      }
    }),
  );
}

/** Pages that the home page and the lists link to, by type: the first part of the path and how many follow. */
async function findPages(url: string): Promise<Map<string, string[]>> {
  const types = new Map<string, Set<string>>();
  const add = (html: string) => {
    for (const [, link = ""] of html.matchAll(/<a [^>]*href="(\/[^"#]*)"/g)) {
      const address = link.replaceAll("&amp;", "&");
      const [path = "", query] = address.split("?");
      if (/\.\w+$/.test(path)) continue;
      const parts = path.split("/");
      const type = `${parts[1]} ${parts.length} ${query === undefined ? "" : "?"}`;
      types.set(type, (types.get(type) ?? new Set()).add(address));
    }
  };
  add(await read(url, "/"));
  for (const [first] of [...types.values()].map((set) => [...set])) add(await read(url, first ?? "/"));
  return new Map([...types].map(([type, links]) => [type, [...links].sort()]));
}

async function read(url: string, page: string): Promise<string> {
  const answer = await fetch(url + page);
  return answer.ok ? answer.text() : "";
}
