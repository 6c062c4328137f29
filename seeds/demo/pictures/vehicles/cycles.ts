import { type Drawing, placed } from "../pen.ts";
import { spokedWheel, wheel } from "./wheels.ts";

/** A motorcycle's own parts; wheels stand on y = 104, the fork leads to the right. */
const motorcycle = (
  colour: string,
  over: Drawing,
  [rear, front, r] = [30, 98, 16],
): Drawing => `gun/6 p M${rear} ${104 - r}L56 84
  steel/5 p M${front} ${104 - r}L84 54
  gun r 50 70 26 22 6;steel c 58 82 9;steel-- c 58 82 4;steel r 62 68 12 12 2;iron/1.5 p M62 72H74M62 76H74;chrome/4 p M60 92L22 96
  ${wheel(rear, 104 - r, r, "steel")}
  ${wheel(front, 104 - r, r, "steel")}
  ${colour} p M${front - 18} ${92 - r}Q${front} ${80 - r} ${front + 15} ${94 - r}L${front + 12} ${97 - r}Q${front} ${86 - r} ${front - 14} ${96 - r}Z
  ${over}`;

const sportsBike = (colour: string, other: string, over = ""): Drawing =>
  motorcycle(
    colour,
    `${colour} p M44 66L62 50Q76 44 84 52L98 58L104 66L92 72L82 92H56L50 74Z
    ${other} p M58 88L66 74L88 72L80 92H58Z;black p M10 54L40 56L54 62L44 70L30 66Z;${colour} p M6 50L30 55L38 66L26 64Z
    pane p M84 52L94 44L102 60Z;glass%60 p M86 51l7 -6l3 8Z;lamp r 97 60 7 5 2;gun/3 p M80 52L76 46;white%35/1.6 p M60 54Q72 47 82 54
    ${over}`,
  );

const scooter = (colour: string, over = ""): Drawing => `steel/5 p M98 92L88 50
  ${colour} p M14 84Q14 68 30 66H50L56 84H76L84 56L92 54L96 84Q90 94 76 94H34Q18 94 14 84Z;${colour}- p M56 84H76L74 94H52Z
  leather p M20 66Q18 58 28 58H52Q56 62 50 66Z;gun/3 p M86 52L76 48;lamp c 92 56 4;steel r 82 44 4 8 2;tail r 12 72 5 6 2
  ${colour} p M86 90Q98 70 110 90L106 92Q98 82 90 92Z;white%40/1.6 p M22 72Q30 69 46 70
  ${over}
  ${wheel(34, 93, 11, "white")}
  ${wheel(98, 93, 11, "white")}`;

const bicycle = (colour: string, over: Drawing, r = 21): Drawing => {
  const y = 104 - r;
  return `${spokedWheel(28, y, r)}
    ${spokedWheel(100, y, r)}
    ${over}
    ${colour}/4.5 p M28 ${y}L52 54L88 50L60 ${y}L52 54M28 ${y}H60M100 ${y}L86 44
    steel c 60 ${y} 6;gun/2.5 p M60 ${y}l6 9M62 ${y + 10}h9M60 ${y}l-6 -9;iron/1.2 p M30 ${y + 4}L58 ${y + 5}M30 ${y - 4}L58 ${y - 5}`;
};

/** Motorcycles, scooters and the quad. */
export const BIKES: Readonly<Record<string, Drawing>> = {
  448: scooter(
    "#d8402f",
    `red r 6 34 32 24 3;white! r 6 42 32 8;cream p M16 55L22 36L28 55Z;iron/3 p M20 58V64`,
  ),
  461: sportsBike("#3f8f5e", "#2c3c34"),
  462: scooter("#6fc2c9", "chrome/2 p M14 62h-6V52h10"),
  463: `steel/4 p M106 88L78 46
    black p M20 74Q26 60 46 64L60 70L44 78H24Z;crimson p M50 66Q58 52 76 54L84 62L70 70Z;gun r 48 70 26 20 8;steel p M52 72L60 64L70 72L62 80Z;chrome/4 p M60 90L16 94M60 86L16 88
    gun/3 p M78 46L64 38;lamp c 88 56 5;chrome c 87 56 2;crimson p M10 86Q16 66 38 72L44 80Q28 74 18 90Z
    ${wheel(32, 87, 17, "chrome")}
    ${spokedWheel(106, 88, 16)}`,
  468: motorcycle(
    "#e8d03a",
    `red p M44 64L60 54Q72 48 82 52L90 62L74 76L56 74Z;white p M50 66L88 60L80 72H60Z;black p M18 58L58 56L62 62L40 66Z;red p M8 56L30 56L40 66L26 66Z;gun/3 p M84 50L74 42H82
    ( translate(0 -9)
    red p M80 78Q98 62 116 76L112 79Q98 70 84 82Z
    )`,
    [28, 102, 17],
  ),
  471: `gun/5 p M34 88L52 74M96 88L82 74
    #2f6fb8 p M16 76Q20 60 38 62L50 70H78L90 62Q108 60 112 76L98 74L88 84H44L34 74Z;black p M38 62Q42 56 52 58H70L78 66H46Z;gun/3 p M86 62L76 48H84;lamp r 102 66 7 5 2;gun r 48 80 34 10 4;chrome/2 p M14 66H30M16 60H30
    ${wheel(32, 89, 15, "steel")}
    ${wheel(96, 89, 15, "steel")}`,
  521: sportsBike("#cf3f3f", "black"),
  522: sportsBike("#2f6fe0", "#f2c12e", "white! p M60 62L78 56L76 60L62 66Z"),
  523: motorcycle(
    "white",
    `white p M40 68L60 56Q74 50 84 54L96 48L106 62L98 72L82 90H58L50 76Z;blue! p M52 72L98 62L96 70L56 80Z;black p M18 62L48 58L56 66L40 72H24Z;white r 6 60 24 20 4;blue! r 6 68 24 4
    pane p M84 54L88 34Q96 36 102 56Z;glass%50 p M88 52L90 38q4 1 6 12Z;blue r 14 46 5 8 2;gun/2 p M16 60V52;lamp r 98 60 7 6 2;${"gold c 72 64 4"}`,
  ),
  581: sportsBike("#f08a2c", "#3a3f4a", "gun c 84 62 5"),
  586: motorcycle(
    "#5b3f8c",
    `#5b3f8c p M46 66Q58 50 78 54L88 62L70 72Z;leather p M16 66Q26 54 50 62L56 68L40 72H20Z;#5b3f8c r 8 68 26 18 5;chrome/1.6 p M10 76H32;gun/3 p M82 52L68 44H76;chrome c 92 58 5;lamp c 93 58 3.6;pane%80 p M86 52L92 34L100 52Z;leather p M8 50q4 -4 8 0v14h-8Z`,
    [32, 100, 16],
  ),
};

/** Bicycles. */
export const BICYCLES: Readonly<Record<string, Drawing>> = {
  481: placed(
    "translate(6 14) scale(.9)",
    bicycle(
      "#e0452f",
      "gun/4 p M52 54L48 44;black r 36 40 20 5 2;gun/4 p M86 44L84 30M76 30H90;steel/2.5 p M100 86h8",
      18,
    ),
  ),
  509: bicycle(
    "#3f6f5a",
    "gun/3.5 p M52 54L49 44;leather p M34 40Q44 34 60 40L52 46H38Z;gun/4 p M86 44L83 30Q84 24 74 26L68 30;steel/2 p M18 60Q28 56 40 62;wood p M92 36H112L108 52H95Z;walnut/1 p M93 41H111M94 46H110",
  ),
  510: bicycle(
    "#2f62c4",
    "gun/4 p M52 54L48 40;black p M34 37H58L54 43H38Z;gun/4.5 p M86 44L84 32M78 32H92;steel/5 p M94 66L100 82;orange/3 p M60 55L84 52",
  ),
};
