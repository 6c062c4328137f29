import type { Drawing } from "../pen.ts";
import { AEROPLANES, HELICOPTERS } from "./aircraft.ts";
import { BOATS } from "./boats.ts";
import { BICYCLES, BIKES } from "./cycles.ts";
import { LORRIES } from "./lorries.ts";
import { OFF_ROAD } from "./off-road.ts";
import { TRAINS } from "./rail.ts";
import { SALOONS } from "./saloons.ts";
import { PUBLIC_SERVICE } from "./service.ts";
import { TOYS, UNIQUE } from "./special.ts";
import { LOWRIDERS, SPORTS_CARS } from "./sports-cars.ts";
import { TRAILERS } from "./trailers.ts";
import { VANS } from "./vans.ts";

/** Drawings of vehicles by id of the model. */
export const VEHICLES: Readonly<Record<string, Drawing>> = {
  ...SALOONS,
  ...SPORTS_CARS,
  ...LOWRIDERS,
  ...OFF_ROAD,
  ...VANS,
  ...LORRIES,
  ...PUBLIC_SERVICE,
  ...UNIQUE,
  ...BIKES,
  ...BICYCLES,
  ...BOATS,
  ...HELICOPTERS,
  ...AEROPLANES,
  ...TRAINS,
  ...TRAILERS,
  ...TOYS,
};
