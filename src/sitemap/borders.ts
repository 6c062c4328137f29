import type { SitemapKind } from "./build-sitemap.ts";

/**
 * The ids at which the children of a kind begin, remembered: a crawler reads an index and then its children one by
 * one, and records that come or go meanwhile must not push others over a border, where it would miss them.
 */
export interface Borders {
  /** The remembered borders, drawn now if there are none or they are too old. */
  of(kind: SitemapKind): Promise<string[]>;
  /** Draws new borders: a page between the old ones has grown too large. */
  renew(kind: SitemapKind): Promise<string[]>;
}

const LIFETIME_MS = 3_600_000;

/** Remembers what `draw` finds; those who ask while it is looking wait for the same answer. */
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
