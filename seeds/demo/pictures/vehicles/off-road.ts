import type { Drawing } from "../pen.ts";
import { car } from "./cars.ts";
import { chromeSide, flames, rack, spareTail, star, stripe } from "./extras.ts";
import { wheel } from "./wheels.ts";

const raised = (r: number) => ({ sill: 87, wheels: [30, 98, r] }) as const;
const rancher = (colour: string, over = ""): Drawing =>
  car("suv", colour, { doors: 2, cabin: [8, 12, 66, 80], roof: 42, over: `${rack(16, 62, 39)}\n${over}` });
const bigWheel = (x: number, y: number, r: number): Drawing => `${wheel(x, y, r, "chrome")}
  iron/2 p M${x - r + 2} ${y - 4}l3 2M${x + r - 2} ${y - 4}l-3 2M${x - 6} ${y - r + 2}l2 3M${x + 6} ${y - r + 2}l-2 3M${x - 6} ${y + r - 2}l2 -3M${x + 6} ${y + r - 2}l-2 -3`;
const monster = (colour: string, over: Drawing): Drawing => `gun/5 p M34 72L46 84M96 72L84 84M40 84H90
  steel/2 p M28 70L36 84M102 70L94 84
  ( translate(13 -16) scale(.8)
  ${car("pickup", colour, { wheelLook: () => "", wheels: [30, 98, 18], over })}
  )
  ${bigWheel(33, 86, 18)}
  ${bigWheel(97, 86, 18)}`;

/** Cars for where there is no road. */
export const OFF_ROAD: Readonly<Record<string, Drawing>> = {
  400: car("suv", "#4f7a5c", { over: rack(18, 70, 37) }),
  424: `gun/3 p M30 66L46 46H78L94 72M46 46L52 72M30 66L22 84
    leather r 50 62 10 14 4;red p M18 84C22 74 40 72 60 76L96 74C110 76 120 82 122 92H20Z;red-- r 36 90 60 5 2
    lamp c 112 80 4;chrome/3 p M14 84h8M12 90h10
    ${wheel(30, 89, 15)}
    ${wheel(100, 91, 12.5)}`,
  444: monster("#3d6fd8", flames(100, 84, 11)),
  470: car("suv", "#8a8a5c", {
    tail: 4,
    nose: 124,
    hood: 63,
    roof: 42,
    cabin: [6, 10, 76, 82],
    wheels: [28, 98, 15],
    over: `${rack(14, 72, 39)}\nblack r 110 84 14 6 2`,
    behind: spareTail(0, 76, 11),
  }),
  489: rancher("#b0543a", stripe(80, 12, 116, "#e6d3ae", 5)),
  495: car("pickup", "#d9a94a", {
    ...raised(16),
    over: `gun/3 p M34 66L48 44H54M48 44V66\nlamp c 58 43 3;lamp c 66 43 3;lamp c 74 43 3;${star(64, 78, 8, "red")}`,
  }),
  500: car("suv", "#c4843c", {
    open: true,
    doors: 2,
    tail: 14,
    nose: 116,
    cabin: [10, 20, 68, 82],
    over: "gun/3 p M22 60V40H62L70 62",
    behind: spareTail(8, 72, 12),
    wheels: [34, 94, 14],
  }),
  505: rancher("#58708c", "chrome r 112 78 10 12 2"),
  556: monster("#c93a3a", `${star(70, 78, 10)}\n${stripe(88, 8, 118, "white", 4)}`),
  557: monster("#5aa83e", `black p M12 72L30 90L40 72L58 90L68 72L78 90H90L80 72Z`),
  568: `gun/3 p M24 82L42 50H72L102 82M42 50L54 82M72 50L66 82M24 82H110
    leather r 52 66 10 16 4;amber p M66 82L104 78C112 80 118 84 118 90H60Z;iron r 14 74 24 14 3;chrome/2 p M14 78H30M14 82H30
    amber- r 36 88 70 5 2;lamp c 74 49 3;lamp c 66 47 3
    ${wheel(28, 88, 16)}
    ${wheel(102, 91, 13)}`,
  573: `#d8b46a p M6 84V46Q6 42 10 42H82V84Z;#d8b46a p M84 84V40H104C110 40 113 46 116 58L122 62V84Z;pane p M88 56V45H103C107 45 109 50 111 58Z
    glass%50 p M98 45h5l6 13h-5Z;red r 8 62 74 6;white! r 8 68 74 3;gun r 10 84 108 6 2;lamp r 116 68 6 6 2;black r 84 64 2 18;tan/1 p M24 44V82M44 44V82M64 44V82
    ${wheel(26, 88, 16)}
    ${wheel(58, 88, 16)}
    ${wheel(102, 88, 16)}`,
  579: car("suv", "#3b3f4d", { roof: 41, hood: 68, cabin: [10, 18, 74, 94], over: chromeSide(85, 9, 119) }),
};

/** The federal agents' off-roader. */
export const BLACK_RANCHER = rancher("#2b2f3a", "blue r 64 35 8 4 2");
