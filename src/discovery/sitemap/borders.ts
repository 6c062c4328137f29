import type { SitemapKind } from "./build-sitemap.ts";

/**
 * Caches the first ids of the child sitemaps of a kind. A crawler reads the index and then its children one by one.
 * Records added or removed meanwhile must not move others to another child, where it would miss them.
 */
export interface Borders {
  /** The cached borders, refreshed if they are missing or too old. */
  of(kind: SitemapKind): Promise<string[]>;
  /** Computes new borders after a page has grown too large. */
  renew(kind: SitemapKind): Promise<string[]>;
}

const LIFETIME_MS = 3_600_000;

/** Caches the result of `draw`; concurrent callers share one call. */
export function createBorders(
  draw: (kind: SitemapKind) => Promise<string[]>,
  now: () => number = Date.now,
): Borders {
  const remembered = new Map<SitemapKind, { drawnAt: number; borders: Promise<string[]> }>();
  const renew = (kind: SitemapKind) => {
    const drawn = { drawnAt: now(), borders: draw(kind) };
    remembered.set(kind, drawn);
    drawn.borders.catch(() => remembered.delete(kind));
    return drawn.borders;
  };
  return {
    of: (kind) => {
      const known = remembered.get(kind);
      return known && now() - known.drawnAt < LIFETIME_MS ? known.borders : renew(kind);
    },
    renew,
  };
}
