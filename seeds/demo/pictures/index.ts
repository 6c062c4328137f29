import { ITEMS } from "./items/index.ts";
import { picture } from "./picture.ts";
import { tile, VEHICLE_SCENES } from "./scenes.ts";
import { shopDrawing } from "./shop/index.ts";
import { VEHICLES } from "./vehicles/index.ts";

/** What a drawing depends on. */
export interface Drawn {
  readonly id: string;
  readonly category: string | null;
}

/** Kinds whose demo records have drawings. */
export const DRAWN_KINDS = ["items", "vehicles", "donate-items"] as const;

export type DrawnKind = (typeof DRAWN_KINDS)[number];

/** The picture of a demo record as SVG; undefined if nobody has drawn one. */
export function pictureOf(kind: DrawnKind, { id, category }: Drawn): string | undefined {
  if (kind === "vehicles") {
    const vehicle = VEHICLES[id];
    return vehicle && picture(vehicle, VEHICLE_SCENES[category ?? ""] ?? tile(category));
  }
  if (kind === "donate-items") {
    const shown = shopDrawing(id, category);
    return shown && picture(shown.drawing, shown.scene);
  }
  const item = ITEMS[id];
  return item && picture(item, tile(category));
}
