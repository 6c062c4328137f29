import type { Knex } from "knex";
import { Random } from "../search-quality/random.ts";

const CATEGORIES = ["Mansions", "Flats", "Trailers", "Weapons", "Restaurants", "Garages"];
const TOWNS = 12;
/** Places per 100 that lie outside the towns. */
const OUTSIDE = 15;

/** Fills a kind with places, most of them in towns as they are in a game, with a name in two languages and a price. */
export async function fillPlaces(db: Knex, kind: string, count: number): Promise<void> {
  const random = new Random(kind);
  const anywhere = () => ({ x: random.between(-2500, 2500), y: random.between(-2500, 2500), reach: 350 });
  // One in the middle, which zooming goes to.
  const towns = [{ x: 0, y: 0, reach: 350 }, ...Array.from({ length: TOWNS - 1 }, anywhere)];
  const rows = Array.from({ length: count }, (_, n) => {
    const isOutside = random.between(1, 100) <= OUTSIDE;
    const { x, y, reach } = isOutside ? { x: 0, y: 0, reach: 2900 } : random.pick(towns);
    return {
      id: `place-${n}`,
      name: `Place of the town no. ${n}`,
      names: JSON.stringify({ en: `Place of the town no. ${n}`, ru: `Место в городе № ${n}` }),
      category: random.pick(CATEGORIES),
      popularity: random.between(0, 1000),
      attributes: JSON.stringify({
        x: x + spread(random, reach),
        y: y + spread(random, reach),
        price: random.between(10, 900) * 1000,
      }),
    };
  });
  await db.batchInsert(kind, rows, 1000);
  await db.raw("vacuum analyze ??", [kind]);
}

/** More often near 0 than far, to a tenth of a unit. */
function spread(random: Random, reach: number): number {
  const middling = (random.next() + random.next() + random.next()) / 1.5 - 1;
  return Math.round(middling * reach * 10) / 10;
}
