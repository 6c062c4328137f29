import { type Drawing, placed, turned } from "../pen.ts";
import { peaked } from "./armour.ts";

const cowboy = (
  colour: string,
  band: string,
): Drawing => `${colour} p M4 74Q8 60 22 70L32 74L38 36Q42 22 54 30L64 36L74 30Q86 22 90 36L96 74L106 70Q120 60 124 74Q116 98 64 98Q12 98 4 74Z;${colour}- p M54 30L64 36L74 30L68 58H60Z
  ${band} p M33 68Q64 80 95 68L97 77Q64 90 31 77Z;gold c 64 80 4;${colour}--%70/2 p M12 80Q64 106 116 80`;
/** A cap with its peak to the right. */
const cap = (
  crown: string,
  peak: string,
  badge: Drawing,
): Drawing => `${crown} p M16 82Q14 32 60 30Q96 30 100 74L98 84H18Z;${crown}--%60/1.6 p M60 30Q44 50 44 84M60 30Q82 46 86 80;${peak} p M60 78Q98 66 124 82Q124 92 112 92L62 88Z;${crown}- r 16 80 52 8 3;${crown} c 60 30 4
  ${badge}`;
const topHat = (colour: string, band: string): Drawing =>
  `${colour} p M34 26Q64 18 94 26L88 88H40Z;${colour}+ e 64 26 30 6;${band} p M39 72Q64 80 89 72L88 88H40Z;${colour} p M10 86Q20 80 40 84Q64 92 88 84Q108 80 118 86Q112 104 64 104Q16 104 10 86Z;white%30/3 p M44 34L47 68`;
const motoHelmet = (
  colour: string,
  over: Drawing,
): Drawing => `${colour} p M14 66Q14 20 66 20Q114 22 114 66Q114 100 92 106H42Q14 104 14 66Z
  ${over}
  black p M54 46H108Q116 58 112 74L62 76Q50 62 54 46Z;pane p M60 50H105Q110 60 108 70L66 71Q56 62 60 50Z;white%50 p M68 52H82L74 70H66Z;${colour}-- p M46 90H100L94 106H44Z;white%45/3 p M26 56Q32 34 54 28;gun c 56 80 4`;
const beret = (
  colour: string,
  over: Drawing,
): Drawing => `${colour} p M16 64Q8 34 56 28Q116 24 118 62Q116 80 92 80H34Q20 78 16 64Z
  ${over}
  black r 28 76 70 12 5;black- r 28 82 70 6 3;${colour} r 62 20 5 10 2`;
const felt = (colour: string, over: Drawing): Drawing =>
  `${colour} p M28 78Q26 30 64 30Q102 30 100 78Z;${over};${colour}- p M8 80Q20 72 34 78Q64 86 94 78Q108 72 120 80Q114 98 64 98Q14 98 8 80Z;white%30/3 p M38 70Q36 44 52 38`;
const santaHat: Drawing = `red p M22 88Q24 32 62 26Q96 22 112 62L104 70Q92 48 84 56L92 88Z;red--%60 p M84 56Q80 40 66 42Q80 50 80 88H92Z;white p M14 84Q12 78 20 76H96Q106 78 104 88Q104 100 96 102H22Q12 100 14 84Z;white c 108 70 12;white-/2 p M26 84q6 6 12 0M50 88q6 6 12 0M74 84q6 6 12 0`;
const flameHelmet: Drawing = motoHelmet(
  "#2a2d36",
  "fire p M14 66Q14 98 40 104H62Q44 92 52 82Q36 84 40 70Q26 74 14 60Z;yellow p M18 82Q26 100 44 103Q34 92 38 84Q26 88 18 82Z;fire p M30 30Q22 44 18 54Q32 50 36 60Q38 44 50 42Q38 40 44 24Z",
);

export const SANTA_HAT = santaHat;
export const FLAME_HELMET = flameHelmet;

/** Hats, caps and helmets. */
export const HEADWEAR: Readonly<Record<string, Drawing>> = {
  "hat-santa": santaHat,
  "hat-witch": `#3d3350 p M30 86L56 22Q62 8 82 20Q94 28 98 40L82 34L98 86Z;purple p M32 76Q64 88 95 76L99 88Q64 102 28 88Z;gold r 54 80 20 14 2;#3d3350 r 59 84 10 6;#3d3350 p M2 92Q20 82 30 88Q64 102 98 88Q110 82 126 92Q114 114 64 114Q14 114 2 92Z;white%20/3 p M44 72L60 30`,
  "hat-cowboy-brown": cowboy("leather", "black"),
  "hat-cowboy-black": cowboy("black", "crimson"),
  "hat-trucker": cap(
    "white",
    "red",
    "red p M60 30Q96 30 100 74L98 82L64 82Q62 50 60 30Z;white c 82 58 9;red c 82 58 4;grey%50/1 p M24 60H58M20 72H60M30 48H58M38 40V82M50 34V82",
  ),
  "hat-baseball-backwards": placed(
    "translate(128 0) scale(-1 1)",
    cap(
      "#2f62b8",
      "#24498a",
      "#24498a p M22 82Q24 62 40 62Q56 62 58 82Z;skin p M28 82Q30 68 40 68Q50 68 52 82Z",
    ),
  ),
  "hat-knit": `teal p M22 80Q20 30 64 30Q108 30 106 80Z;teal--/2 p M34 40V78M46 33V78M58 31V78M70 31V78M82 33V78M94 40V78;cream! p M22 62H106V68H22Z;teal- r 14 76 100 24 8;teal--/2 p M26 78V98M38 78V98M50 78V98M62 78V98M74 78V98M86 78V98M98 78V98;cream c 64 24 13;cream-/2 p M58 18l12 12M70 18L58 30`,
  "hat-beanie-skull": `black p M22 84Q20 28 64 28Q108 28 106 84Z;gun r 14 78 100 22 8;black+/2 p M26 80V98M40 80V98M54 80V98M68 80V98M82 80V98M96 80V98;white p M46 54Q46 38 64 38Q82 38 82 54Q82 62 76 64V72H52V64Q46 62 46 54Z;black c 57 54 5;black c 71 54 5;black/1.6 p M60 66V72M64 66V72M68 66V72`,
  "hat-bowler": felt("#35312f", "crimson p M27 66Q64 76 101 66L100 80H28Z"),
  "hat-boater": `sand r 30 42 68 40 4;sand+ e 64 43 34 6;red! p M30 58H98V74H30Z;navy! p M30 63H98V69H30Z;sand p M8 80Q8 72 64 72Q120 72 120 80Q120 96 64 96Q8 96 8 80Z;sand--/1.2 p M16 82Q64 92 112 82M40 46V56M54 48V56M68 48V56M82 47V56`,
  "hat-top-black": topHat("#262931", "crimson"),
  "hat-top-white": topHat("#eef0f3", "#3a3f4a"),
  "hat-tiger": felt(
    "orange",
    "black/5 p M40 44L52 52M36 58L48 62M88 44L76 52M92 58L80 62M58 32L62 44M72 33L68 44;black p M28 70Q64 78 100 70L100 79H28Z",
  ),
  "hat-beret-camo": beret(
    "#7a8450",
    "#4d5a35 p M24 50Q40 36 48 46Q54 60 36 64Q22 62 24 50Z;#a89a66 p M56 34Q76 32 80 44Q70 54 58 48Z;#4d5a35 p M84 46Q106 40 108 56Q98 70 86 62Z;#3a3f30 p M52 58Q66 54 72 66Q62 76 50 72Z",
  ),
  "hat-beret-black": beret("#2b2e37", "white%25/4 p M30 52Q44 36 70 36;gold c 92 64 5"),
  "hat-burger-shot": cap(
    "red",
    "yellow",
    "oak p M38 56Q38 44 54 44Q70 44 70 56Z;lime r 36 56 36 4 2;walnut r 37 59 34 6 2;oak r 38 65 32 6 3",
  ),
  "hat-cluckin-bell": `white p M30 84Q26 40 64 40Q102 40 98 84Z;red p M46 42Q40 26 52 26Q54 14 64 20Q74 12 78 26Q90 26 82 42Q64 36 46 42Z;amber p M64 62L104 74L64 84Z;black c 54 62 6;white c 56 60 2;red p M66 84Q78 84 76 98Q66 102 64 90Z;yellow- r 24 84 60 14 6;white-/2 p M36 70Q34 56 44 50`,
  "hat-pizza": cap(
    "green",
    "white",
    "sand p M40 72L54 42L70 70Q54 76 40 72Z;amber p M44 68L54 48L65 66Q54 71 44 68Z;red c 52 62 3.5;red c 58 66 3",
  ),
  "hat-fireman": `red p M34 78Q32 30 60 30Q92 30 92 76Z;red- p M54 30Q58 22 64 30L66 74H58Z;red p M4 84Q14 72 34 74Q64 84 94 74Q116 74 124 90Q112 102 90 94Q50 100 20 96Q6 96 4 84Z;gold p M70 44L92 40Q98 56 92 72L80 80L68 70Z;red/3 p M76 52L88 66M88 50L76 68;white%40/3 p M42 68Q40 46 50 40;yellow! p M36 70Q64 80 92 70L93 75Q64 85 35 76Z`,
  "hat-hard-yellow": `yellow p M22 82Q20 34 64 32Q108 34 106 82Z;yellow- p M56 32Q64 26 72 32L74 80H54Z;yellow p M10 84Q10 78 20 78H108Q120 80 122 88Q120 96 108 94H20Q10 92 10 84Z;white%60/4 p M32 70Q32 52 44 44;yellow-- r 20 90 88 5 2`,
  "hat-boxing": `red p M22 62Q22 20 64 20Q106 20 106 62V88Q104 108 88 108H40Q24 108 22 88Z;skin p M42 54H86V76Q86 92 64 92Q42 92 42 76Z;red- p M42 44H86V58H42Z;red- p M30 60H44V92L36 96Q30 90 30 80ZM98 60H84V92L92 96Q98 90 98 80Z;black c 54 68 3.5;black c 74 68 3.5;white r 52 26 24 10 3;white%35/3 p M30 56Q30 34 46 28;walnut/2 p M58 82H70`,
  "hat-army-helmet": `olive p M14 78Q12 26 64 26Q116 26 114 78L122 84Q122 92 110 92H18Q6 92 6 84Z;olive-- p M14 72Q64 84 114 72V80Q64 92 14 80Z;khaki%70 p M34 48Q50 36 58 46Q54 60 40 60ZM78 40Q96 42 98 56Q86 62 76 54Z;black/4 p M26 92Q30 112 62 116M102 92Q98 112 66 116;white%25/3 p M26 66Q28 44 46 36`,
  "helmet-moto-red": motoHelmet("#d6352f", "white! p M20 42Q36 34 50 40L48 50Q32 46 16 56Z"),
  "helmet-moto-blue": motoHelmet("#2c66d0", "yellow! p M18 48Q34 40 50 46L49 52Q32 50 15 60Z"),
  "helmet-moto-white": motoHelmet(
    "#f1f3f6",
    "red! p M18 44Q34 36 50 42L49 48Q32 46 15 56Z;blue! p M15 60Q32 50 49 52L50 58Q32 58 14 70Z",
  ),
  "helmet-moto-pink": motoHelmet(
    "#f07fb2",
    "white p M34 50c-4 -8 -14 -4 -12 4q2 8 12 14q10 -6 12 -14q2 -8 -12 -4Z",
  ),
  "helmet-moto-flames": flameHelmet,
  "hat-cap-over-eye": turned(14, cap("#4b3f63", "#382f4d", "amber c 78 58 9;#4b3f63 c 78 58 5")),
  "hat-pilot-cap": peaked(
    "white",
    "navy",
    "gold p M64 46L74 52L98 46Q92 60 74 60L64 64L54 60Q36 60 30 46L54 52Z;gold c 64 54 7;navy c 64 54 3.5",
  ),
  "hat-ushanka": `#5b4a3a p M24 60Q22 26 64 24Q106 26 104 60Z;walnut p M18 58Q16 40 34 40H94Q112 40 110 58V68Q100 76 94 68H34Q28 76 18 68Z;walnut p M16 64Q18 56 30 62Q42 68 38 96Q32 112 22 104Q12 90 16 64ZM112 64Q110 56 98 62Q86 68 90 96Q96 112 106 104Q116 90 112 64Z;walnut+/2 p M30 48l4 8M44 46l4 8M80 46l-4 8M96 48l-4 8M22 76l4 8M24 90l4 6M106 76l-4 8M104 90l-4 6;red p M64 42l4 8h9l-7 6l3 9l-9 -5l-9 5l3 -9l-7 -6h9Z`,
};
