import type { Drawing } from "../pen.ts";
import { ACCESSORIES } from "./accessories.ts";
import { AMMUNITION } from "./ammunition.ts";
import { ARMOUR } from "./armour.ts";
import { DOCUMENTS } from "./documents.ts";
import { DRINKS } from "./drinks.ts";
import { ELECTRONICS } from "./electronics.ts";
import { EXPLOSIVES } from "./explosives.ts";
import { FACES } from "./faces.ts";
import { FIREARMS } from "./firearms.ts";
import { FISHING } from "./fishing.ts";
import { FOOD } from "./food.ts";
import { FURNITURE } from "./furniture.ts";
import { GEAR } from "./gear.ts";
import { HEADWEAR } from "./headwear.ts";
import { MEDICINE } from "./medicine.ts";
import { MELEE } from "./melee.ts";
import { PARTS } from "./parts.ts";
import { PLANTS } from "./plants.ts";
import { RESOURCES } from "./resources.ts";
import { TOOLS } from "./tools.ts";

/** Drawings of items by id. */
export const ITEMS: Readonly<Record<string, Drawing>> = {
  ...MELEE,
  ...FIREARMS,
  ...EXPLOSIVES,
  ...AMMUNITION,
  ...GEAR,
  ...ARMOUR,
  ...HEADWEAR,
  ...FACES,
  ...ACCESSORIES,
  ...FOOD,
  ...DRINKS,
  ...MEDICINE,
  ...TOOLS,
  ...ELECTRONICS,
  ...FISHING,
  ...FURNITURE,
  ...DOCUMENTS,
  ...RESOURCES,
  ...PLANTS,
  ...PARTS,
};
