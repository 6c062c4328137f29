/** One page of a longer list. */
export interface Pagination {
  page: number;
  pages: number;
  total: number;
  offset: number;
  limit: number;
  /** Page numbers to link to; null stands for a gap. */
  links: (number | null)[];
}

/** Page `page` (from 1) of a list of `total`; a page past the end becomes the last one. */
export function paginate(total: number, page: number, limit: number): Pagination {
  const pages = Math.max(1, Math.ceil(total / limit));
  const current = Math.min(Math.max(1, page), pages);
  return {
    page: current,
    pages,
    total,
    offset: (current - 1) * limit,
    limit,
    links: pageLinks(current, pages),
  };
}

/** First, last and neighbouring pages: `1 … 4 5 6 … 20`. */
function pageLinks(current: number, pages: number): (number | null)[] {
  const wanted = [1, current - 1, current, current + 1, pages].filter((page) => page >= 1 && page <= pages);
  const links: (number | null)[] = [];
  for (const page of [...new Set(wanted)].sort((a, b) => a - b)) {
    const last = links.at(-1);
    if (typeof last === "number" && page > last + 1) links.push(page === last + 2 ? last + 1 : null);
    links.push(page);
  }
  return links;
}
