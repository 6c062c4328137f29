import { type Bounds, WHOLE_MAP } from "../../settings/look.ts";

/** The picture under the places of a map, in the game's coordinates. */
export interface Ground {
  /** Address of the picture; of a drawing in a file of drawings, if `isDrawing`. */
  readonly href: string;
  /** True for the demo's land, whose colours follow the page's theme. */
  readonly isDrawing: boolean;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The ground under the places: the operator's picture, the demo's land while demo places are shown, or nothing. */
export function chooseGround(
  look: { readonly mapImage: string | undefined; readonly demoLand: string },
  bounds: Bounds,
  hasDemoPlaces: boolean,
): Ground | undefined {
  if (look.mapImage !== undefined) return { href: look.mapImage, isDrawing: false, ...bounds };
  return hasDemoPlaces ? { href: look.demoLand, isDrawing: true, ...WHOLE_MAP } : undefined;
}
