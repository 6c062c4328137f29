import type { Drawing } from "../pen.ts";
import { star } from "./extras.ts";

/** The hull of a speedboat on y = 96, its bow to the right. */
const hull = (
  colour: string,
  below = "white",
  top = 72,
): Drawing => `${colour} p M8 ${top}L122 ${top - 6}Q114 ${top + 16} 98 98H18Q10 88 8 ${top}Z
  ${below} p M11 ${top + 12}L114 ${top + 9}Q108 90 98 98H18Q13 92 11 ${top + 12}Z;white%45/1.6 p M12 ${top + 3}L116 ${top - 2}`;
const screen = (x: number, y: number): Drawing =>
  `glass%75 p M${x} ${y}L${x + 14} ${y}L${x + 26} ${y + 14}H${x + 4}Z;steel/1.6 p M${x} ${y}L${x + 14} ${y}L${x + 26} ${y + 14}`;
const motor = (x: number, y: number): Drawing =>
  `gun r ${x} ${y} 12 14 4;gun- r ${x + 3} ${y + 12} 5 18 2;red r ${x} ${y + 4} 12 3`;

/** Boats; the scene has the water before them. */
export const BOATS: Readonly<Record<string, Drawing>> = {
  430: `${hull("#2c4a86", "white")}
    white p M34 72V52H72L84 70Z;pane p M40 66V56H69L77 66Z;glass%50 p M58 56h6l8 10h-6Z;gun/2 p M50 52V36;blue r 42 46 9 6 2;red r 54 46 9 6 2;steel/2 p M88 69V60H110M98 68V60;${star(26, 80, 6)}`,
  446: `${hull("#e9e4da", "#c23a3a", 74)}
    #c23a3a p M12 78L118 72L117 76L12 82Z;${screen(54, 60)}\nleather r 36 64 12 10 3;leather r 24 66 10 8 3`,
  452: `${hull("#f0b02c", "#2a2e37", 76)}
    black p M60 73L110 69L70 80Z;${screen(48, 62)}\nred r 34 66 12 10 3;${motor(0, 66)}`,
  453: `#2f6f8f p M6 66L14 70H92Q108 68 122 56Q120 80 104 98H18Q8 86 6 66Z;#b5423a p M12 86H112Q108 93 104 98H18Q14 93 12 86Z;white! p M8 72L14 75H94Q110 73 121 62L120 66Q108 77 94 79H14L9 76Z
    white r 54 40 30 30 2;pane r 60 46 8 9 1;pane r 72 46 8 9 1;red r 50 36 38 5 2;walnut/3 p M34 70V18;walnut/2 p M34 24L12 56;gun/1 p M12 56V66M34 18L96 62;green/1 p M16 68q8 8 18 0;amber c 42 64 5;amber- c 42 64 2`,
  454: `${hull("white", "#2f5f9f", 72)}
    white p M22 71V54H88L104 68Z;pane p M28 66V58H86L95 66Z;glass%45 p M74 58h8l8 8h-8Z;white p M34 54V42H72L82 54Z;pane%85 p M64 42H70L78 50H66Z;steel/2 p M40 42V30M36 32h8;steel/1.6 p M96 68V60H114M106 66V60`,
  472: `${hull("#e8622c", "white", 74)}
    white r 54 44 22 28 2;pane r 58 49 14 9 1;orange r 50 40 30 5 2;white! p M88 84h6v-4h4v4h6v4h-6v4h-4v-4h-6Z;gun/2 p M64 40V26;steel/2 p M16 74V64H46V74;red c 30 70 5;white c 30 70 2.5`,
  473: `gun p M6 74Q6 66 16 66H100Q120 62 122 72Q118 86 104 92H18Q6 92 6 82Z;iron p M8 72Q10 67 18 67H98Q116 64 120 70Q104 80 18 79Q9 79 8 72Z;orange/2.5 p M14 84Q60 88 108 80;oak r 40 62 22 6 2;${motor(0, 58)}
    gun+/1.2 p M34 79V91M58 79V91M82 78V90`,
  484: `white p M8 80L120 74Q112 92 98 98H24Q12 92 8 80Z;#2f4f8f! p M11 88L114 84Q108 94 98 98H24Q14 94 11 88Z;oak r 30 72 48 7 3;pane r 36 74 8 4 2;pane r 50 74 8 4 2;walnut/2.5 p M62 76V8;walnut/2 p M62 70H22
    cream p M60 12Q34 40 22 68H60Z;white p M65 12Q92 44 112 70H65Z;red! p M62 8L74 11L62 15Z;shade%15/1 p M52 26Q46 44 42 68M40 44L60 44M66 40L86 40`,
  493: `${hull("#6a2fa8", "#f2c230", 76)}
    white p M40 73L116 69L76 80Z;${screen(44, 60)}\nwhite r 28 64 12 11 3;black/3 p M10 74V58H30;${motor(-2, 64)}`,
  595: `olive p M6 68H98L122 58Q120 84 104 98H16Q8 88 6 68Z;olive-- p M9 84H114Q110 92 104 98H16Q12 92 9 84Z;olive+ r 40 46 26 22 2;pane r 46 51 14 7 1;gun r 84 56 16 8 3;gun/3 p M94 58L116 48;gun/2 p M52 46V26M46 32h12;khaki! p M20 74H90V78H20Z`,
};
