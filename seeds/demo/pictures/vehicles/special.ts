import type { Drawing } from "../pen.ts";
import { car } from "./cars.ts";
import { flames } from "./extras.ts";
import { heavyWheel, spokedWheel, track, wheel } from "./wheels.ts";

const axle = (...at: number[]): Drawing => at.map((x) => heavyWheel(x, 92, 12)).join("\n");

/** Vehicles that are like no other. */
export const UNIQUE: Readonly<Record<string, Drawing>> = {
  406: `amber p M2 34H92L104 26V34L92 46L80 72H14Z;amber-/3 p M22 36L28 70M42 36L46 70M62 36L64 70;earth p M8 34Q26 18 44 28Q62 18 88 34Z;amber p M74 76V52H96V40H118V62H124V82H60Z;pane r 100 44 14 14 1;gun r 10 76 112 7 2;steel/2 p M122 62V84M116 62V84;black r 100 62 22 2
    ${heavyWheel(34, 84, 20, "amber")}
    ${heavyWheel(98, 84, 20, "amber")}`,
  409: car("saloon", "white", {
    tail: 0,
    nose: 128,
    cabin: [10, 22, 92, 106],
    wheels: [20, 108, 11],
    roof: 54,
    belt: 73,
    hood: 76,
    deck: 72,
    over: "black%80/1.4 p M4 82H122;shade%40/1 p M50 74V92M72 74V92;chrome r 122 80 5 10 1",
  }),
  434: `steel/4 p M104 92L74 82;#d6342f p M8 88Q8 52 40 50H62Q68 54 68 64V88Z;pane p M36 66V56H56Q60 58 60 66Z;glass%50 p M48 56h6l4 10h-6Z;#d6342f p M66 70L104 74L106 86H66Z;steel r 72 58 24 16 2;chrome r 74 52 20 7 2;chrome/3.5 p M74 72L62 92M82 72L70 93M90 72L78 93;lamp c 108 74 4;black%30/1 p M34 58V86;${flames(60, 82, 8)}
    ${heavyWheel(28, 86, 18, "chrome")}
    ${spokedWheel(108, 92, 11)}`,
  442: car("wagon", "#23252d", {
    tail: 2,
    nose: 125,
    roof: 46,
    cabin: [5, 10, 78, 94],
    over: "chrome/1.6 p M8 88H118;cream%80 p M14 52H42V66Q28 58 14 66Z;black/2 p M66 50V70;silver/2 p M24 76q10 -8 20 0q-8 6 -14 0",
  }),
  457: `gun/2.5 p M38 66V28M88 66L84 28;white p M30 24H92Q96 28 92 31H30Z;white p M14 90V72Q14 66 22 66H50L56 82H78L84 66H104Q114 70 114 90Z;green! r 14 84 100 5;leather r 26 58 28 9 3;leather r 24 44 7 20 3;gun/3 p M84 64L74 56;lamp c 108 74 3.5;iron r 6 50 12 26 3;steel/2 p M8 50L4 36M12 50V34M16 50L18 38
    ${wheel(32, 93, 11)}
    ${wheel(96, 93, 11)}`,
  485: `#e8a12f p M8 90V66H54V60H100Q118 64 120 76V90Z;#e8a12f- r 8 84 112 6 2;gun/3 p M54 62V40H80L86 60;steel r 50 36 34 5 2;leather r 56 54 16 8 3;black! p M8 78h6l-4 6h-2ZM20 78h7l-4 6h-7ZM33 78h7l-4 6h-7Z;lamp c 116 72 3.5;amber c 66 32 4
    ${wheel(30, 92, 12)}
    ${wheel(98, 92, 12)}`,
  486: `amber p M28 78V60H96V78Z;amber p M40 60V30H74V60Z;pane r 46 36 22 20 2;glass%45 p M56 36h6l-6 20h-5Z;amber- r 36 26 42 6 2;black/4 p M86 60V40;iron/5 p M62 82L108 86M86 70L110 74;steel p M106 58Q120 78 112 106L104 106Q108 80 100 60Z;steel-- p M108 60q8 20 2 46h-4q6 -24 -2 -44Z
    ${track(14, 98, 76, 28)}`,
  525: `steel/4 p M46 70L14 40M14 40L8 66;gun/2 p M10 42V70q5 8 9 0;steel p M36 66L50 40H56L52 72Z;#3f6fa8 r 4 70 80 16 3;#3f6fa8 p M62 92V50Q62 46 66 46H86L94 64H116Q122 66 122 74V92Z;pane p M68 62V52H83L88 62Z;glass%50 p M77 52h4l5 10h-5Z;amber r 68 40 14 6 3;white! p M6 76H84V80H6Z;lamp r 115 74 6 6 2;gun r 4 88 118 5 2
    ${axle(26, 100)}`,
  530: `amber p M16 94Q12 66 26 64H54V54H78V94Z;amber- r 18 86 62 8 3;gun/4 p M30 64V26H68L80 56;iron/1.6 p M38 28V24H62V28;leather r 32 54 20 8 3;leather r 28 42 7 18 3;gun/3 p M68 58L60 48;iron/5 p M86 22V96M92 22V96;steel p M88 88H124V94H86V70H91V88Z;black! p M20 72l10 10v6l-10 -10ZM34 72l14 14h-8l-6 -6Z;wood r 96 62 28 25 2;oak/1.6 p M96 70H124M96 78H124M110 62V87
    ${wheel(30, 94, 10, "amber")}
    ${wheel(70, 94, 10, "amber")}`,
  532: `#4b9a3f p M6 84V44H66V38H84V84Z;#4b9a3f-- r 6 78 82 8 2;pane p M72 60V28H96L100 60Z;glass%50 p M84 28h7l3 32h-7Z;#4b9a3f r 68 22 32 7 3;amber! r 10 50 54 6;steel/5 p M18 44L48 24;steel/2.5 p M22 52H58M22 60H58M22 68H58;gun/5 p M88 78L102 84
    red p M98 74L104 68H124L127 90L118 98H100Z;yellow/2 p M104 72L122 94M122 72L104 94M113 70V97M101 83H126
    ${heavyWheel(76, 84, 20, "yellow")}
    ${heavyWheel(24, 92, 12, "yellow")}`,
  539: `gun/3 p M22 70V28M34 70V28;iron%60 c 28 46 21;steel/3 p M7 46a21 21 0 1 0 42 0a21 21 0 1 0 -42 0M28 26V66M10 38L46 54M46 38L10 54;#e8622f p M20 84V72H60L70 58H90L112 76L118 86H16Z;pane p M68 72L75 62H88L98 72Z;glass%50 p M82 62h5l8 10h-6Z;white! r 20 78 92 3;black p M8 86Q8 84 14 84H114Q124 86 122 94Q118 104 104 104H22Q6 102 8 86Z;gun+/1.6 p M12 93H120`,
  545: `#35477a p M12 86Q10 48 40 44H62Q70 46 72 64L112 66Q116 76 114 88H14Z;pane p M40 62V52H58Q62 54 63 62Z;pane r 28 52 9 10 2;glass%50 p M52 52h4l4 10h-5Z;black/5 p M6 92Q12 72 32 72Q48 74 52 94H84Q90 76 106 76Q118 78 122 92;chrome r 112 62 5 24 2;lamp c 112 72 4.5;chrome/1.6 p M72 70L110 71
    ${spokedWheel(30, 91, 12)}
    ${spokedWheel(104, 91, 12)}`,
  571: `gun/4 p M14 92H116;red p M34 86H86L110 88L118 96H30Z;red p M84 78L106 86H80Z;black p M34 88L28 62Q30 56 36 58L48 84Z;gun/3 p M84 84L70 70;black/4 p M66 66L74 74;steel r 14 70 16 16 3;iron/1.6 p M16 75H28M16 80H28;white! c 62 91 5
    ${wheel(28, 94, 10, "amber")}
    ${wheel(102, 95, 9, "amber")}`,
  572: `#3f9a45 p M44 86V68H64L70 62H104Q114 66 114 86Z;#3f9a45- r 24 78 88 8 3;leather r 30 60 24 8 3;leather r 26 46 7 20 3;gun/3 p M78 62L68 48M62 50L74 46;lamp c 110 72 3;gun r 48 88 34 9 3;yellow! r 74 70 28 3;steel/1.6 p M92 66v14M97 66v14M102 66v14
    ${wheel(34, 90, 14, "yellow")}
    ${wheel(102, 94, 10, "yellow")}`,
  574: `white p M8 88V46H78V40H104L116 64V88Z;pane p M84 60V46H102L109 60Z;glass%50 p M94 46h5l7 14h-6Z;teal! r 8 66 108 8;amber r 88 33 12 7 3;gun r 6 84 112 6 2;khaki p M52 90H78L86 104H46Z;khaki-/1.6 p M54 92L50 103M60 92L58 103M66 92V103M72 92L75 103M78 92L82 103;grey r 16 52 40 8 2;black r 6 70 8 14 2
    ${heavyWheel(26, 93, 11)}
    ${heavyWheel(104, 93, 11)}`,
  583: `#d9d14a p M8 92V68H60V62H98Q118 66 120 78V92Z;#d9d14a- r 8 86 112 6 2;gun/3 p M62 64V48H76;leather r 46 58 16 10 3;leather r 42 48 6 16 2;gun/3 p M84 64L74 54;black! p M12 74h8l-6 8h-2ZM26 74h8l-6 8h-8ZM40 74h8l-6 8h-8Z;lamp c 114 74 3.5;gun/3 p M2 82H10
    ${wheel(30, 92, 12)}
    ${wheel(98, 92, 12)}`,
};

/** A toy drawn smaller, with its aerial. */
const toy = (drawing: Drawing, aerialX: number, aerialY: number): Drawing =>
  `steel/1.6 p M${aerialX} ${aerialY}L${aerialX - 12} 14;red c ${aerialX - 12} 14 3.5\n${drawing}`;

const toyHelicopter = (colour: string, other: string, over = ""): Drawing =>
  toy(
    `gun/3 p M52 88V98M88 88V98M40 99H104
  ${colour}/5 p M20 58L60 66;${colour} p M50 58Q84 46 104 66Q112 82 94 90H60Q46 82 50 58Z;glass%80 p M80 56Q98 58 102 72H80Z;${other}! p M52 74H106L104 80H54Z;gun/2.5 p M20 48V68;gun r 68 42 5 12 1;gun/4 p M24 42H118
  ${over}`,
    56,
    58,
  );

/** Radio-controlled toys. */
export const TOYS: Readonly<Record<string, Drawing>> = {
  441: toy(
    `gun/4 p M30 84H100;#e8502f p M24 80Q30 62 52 62L70 54H84L92 68L116 76V84H26Z;pane p M62 66L72 58H82L86 67Z;white! p M28 74H60L56 79H28Z;${flames(104, 80, 7)}
    ${wheel(34, 88, 16, "amber")}
    ${wheel(98, 88, 16, "amber")}`,
    40,
    64,
  ),
  464: toy(
    `#c93a34 p M10 50L22 50L34 66L96 62Q112 62 114 74Q110 82 94 84H40Q22 82 12 64Z;white c 48 74 7;black/3 p M44 74h8M48 70v8;black p M60 62Q66 54 74 62Z;gun/2.5 p M66 44V88M92 44V88;#c93a34 r 52 38 52 7 3;#c93a34- r 52 84 52 7 3;gun%25 e 116 73 3 20;gun/3 p M116 53V93;tyre c 74 99 6;tyre c 90 99 6`,
    36,
    64,
  ),
  465: toyHelicopter("#3f8fd0", "white"),
  501: toyHelicopter("#5aa845", "yellow", "gun/1.6 p M72 90V102;wood r 62 100 20 10 1"),
  564: toy(
    `#6f8f4a p M34 58H74Q82 60 84 70H28Q28 62 34 58Z;#6f8f4a p M80 60H118V66H80Z;#6f8f4a+ r 46 52 18 8 3;#6f8f4a p M10 82L20 70H108L116 82Z;amber! p M52 60l6 8h-12Z;amber/3 p M26 76h76\n${track(8, 118, 80, 24)}`,
    42,
    58,
  ),
  594: `#b8633a p M40 66H88L82 102H46Z;#b8633a- r 36 60 56 9 3;forest/4 p M64 60V34M64 54Q50 50 46 40M64 50Q80 46 84 36;leaf p M46 42Q32 36 34 24Q48 26 48 40ZM84 38Q98 32 96 20Q82 22 82 36Z;pink c 64 24 14;pink+ c 58 18 5;pink+ c 71 20 5;pink- c 62 32 5;gun c 64 24 7;glass c 64 24 4;white c 62 22 1.4;tyre c 50 104 5;tyre c 78 104 5`,
};
