import type { Drawing } from "../pen.ts";
import { star } from "./extras.ts";
import { heavyWheel, wheel } from "./wheels.ts";

interface Van {
  roof?: number;
  /** Height of the short bonnet, and x of its begin. */
  hood?: number;
  windscreen?: number;
  side?: boolean;
  over?: Drawing;
}

/** A van with a sloping nose. */
function van(
  colour: string,
  { roof = 40, hood = 70, windscreen = 100, side = false, over = "" }: Van = {},
): Drawing {
  const foot = windscreen + 4;
  return `${colour} p M6 96V${roof + 6}Q6 ${roof} 13 ${roof}H${windscreen - 20}Q${windscreen - 15} ${roof} ${windscreen - 12} ${roof + 5}L${foot} ${hood - 3}L117 ${hood + 2}Q121 ${hood + 4} 122 ${hood + 12}V96Z
    pane p M${windscreen - 30} ${hood - 3}V${roof + 7}H${windscreen - 19}L${foot - 6} ${hood - 3}Z
    glass%50 p M${windscreen - 22} ${roof + 7}h4l${foot - windscreen + 12} ${hood - roof - 10}h-7Z
    ${side ? `pane r 14 ${roof + 7} 22 ${hood - roof - 12} 3;pane r 41 ${roof + 7} 24 ${hood - roof - 12} 3` : ""}
    shade%30/1 p M${windscreen - 33} ${roof + 3}V93M38 ${roof + 3}V93M${windscreen - 33} ${hood + 6}H40
    white%35/1.5 p M11 ${hood + 2}H112
    ${colour}-- r 6 92 116 5 2;tail r 6 76 3 9 1;lamp r 115 ${hood + 6} 6 6 2.5
    ${over}
    ${[28, 98].map((x) => `shade%85 p M${x - 14} 97a14 14 0 0 1 28 0Z\n${wheel(x, 92, 12)}`).join("\n")}`;
}

/** A cab and a box behind it. */
function boxLorry(cab: string, box: string, over = "", top = 28): Drawing {
  return `${box} r 4 ${top} 80 ${88 - top} 3;${box}-/1 p M24 ${top + 2}V86M44 ${top + 2}V86M64 ${top + 2}V86
    ${cab} p M86 94V48Q86 44 90 44H104Q109 44 111 49L117 66L121 70V94Z;pane p M91 66V50H103Q106 50 107 53L112 66Z;glass%50 p M99 50h4l7 16h-5Z
    gun r 4 88 118 6 2;${cab}-- r 86 88 36 6 2;lamp r 115 76 6 6 2;tail r 4 82 3 6
    ${over}
    ${heavyWheel(26, 92, 12)}
    ${heavyWheel(102, 92, 12)}`;
}

const stepVan = (
  colour: string,
  over: Drawing,
): Drawing => `${colour} p M5 96V32Q5 27 10 27H100Q105 27 107 32L114 62Q121 64 121 72V96Z
  pane p M84 62V38H98Q101 38 102 41L107 62Z;glass%50 p M94 38h5l6 24h-6Z;shade%30/1 p M80 32V92M5 66H80
  ${colour}-- r 5 92 116 5 2;lamp c 116 78 3.5
  ${over}
  shade%85 p M14 97a14 14 0 0 1 28 0Z;shade%85 p M84 97a14 14 0 0 1 28 0Z
  ${heavyWheel(28, 92, 12)}
  ${heavyWheel(98, 92, 12)}`;

const hotdog: Drawing = `( translate(0 -2)
  oak p M14 24Q10 12 24 12H92Q106 12 102 24Q100 31 90 31H26Q16 31 14 24Z
  red p M6 17Q4 8 14 9Q58 15 102 9Q112 8 110 17Q108 22 100 21Q58 26 16 21Q8 22 6 17Z
  yellow/2.5 p M18 15q6 5 12 0t12 0t12 0t12 0t12 0t12 0
  )`;

/** Vans and light lorries. */
export const VANS: Readonly<Record<string, Drawing>> = {
  413: van("#8fa3b8", { over: "shade%40/2 p M44 72h8" }),
  414: boxLorry("#d9d3c3", "white", "red! r 4 62 80 6;#d98a3a! r 4 69 80 3"),
  440: van("#c9b27a", { roof: 44, windscreen: 104, side: true }),
  459: van("#3f6fc4", {
    roof: 42,
    over: `yellow p M10 78H80L88 84H10Z;white! c 52 60 11;red/3 p M46 64l12 -8M58 56v-6;red c 46 64 3`,
  }),
  482: van("#39424f", { roof: 42, windscreen: 106, side: true, over: "chrome/2 p M10 88H116" }),
  498: stepVan("#b98f5a", "cream! r 5 68 75 8"),
  499: boxLorry("#b5463c", "#d7dce3", "#b5463c! p M4 88L4 72L84 48V62Z", 34),
  609: stepVan("#30333d", "iron r 20 38 40 20 2;gun/2 p M26 44h28M26 50h28"),
  582: van("#e8ebf0", {
    roof: 46,
    side: false,
    over: `blue! p M8 76H84L92 84H8Z;red! r 16 54 40 14 2;white/2 p M22 61h6l3 -4l4 8l3 -4h12
    steel/3 p M40 46V36;silver p M22 22Q24 42 46 38Z;gun/2 p M36 30L28 20`,
  }),
  423: stepVan(
    "#f6eef2",
    `pink! r 5 70 75 8;pane r 18 38 44 22 2;#7fd0d8 p M14 34H66L70 44H10Z;white! p M22 34h8l-2 10h-9ZM38 34h8v10h-9ZM54 34h8l4 10h-9Z
    ( translate(46 2)
    oak p M-7 14H7L0 27Z;pink c 0 10 8;cream c 3 4 5;red c 4 0 2.5
    )`,
  ),
  588: `${hotdog}
    ( translate(0 10) scale(1 .9)
    ${stepVan("#e8c65a", "red! r 5 68 75 9;pane r 18 38 44 22 2;red p M14 34H66L70 44H10Z;white! p M24 34h8l-2 10h-9ZM40 34h8v10h-9Z")}
    )`,
  456: boxLorry("#e2a33a", "#efe8d8", `#e2a33a! r 4 34 80 10;${star(44, 62, 12, "orange")}`, 26),
  428: `#9aa6ae p M6 94V40Q6 36 10 36H82V94Z;#9aa6ae p M82 94V44H98L106 64H118Q122 66 122 72V94Z;pane r 88 50 10 13 1;pane r 16 46 12 8 1;pane r 42 46 12 8 1
    shade%40/1.5 p M82 44V90M34 40V90;iron c 22 66 2;iron c 46 66 2;blue! r 6 74 116 5;gold c 58 62 9;gold-- p M55 67V57h6v10Z
    gun r 6 90 116 6 2;lamp c 118 76 3
    ${heavyWheel(28, 92, 12)}
    ${heavyWheel(100, 92, 12)}`,
  483: `#e9e2cf p M8 94V54Q8 40 22 39H98Q114 41 118 64L120 94Z;#45a39a p M8 94V68H119L120 94Z;white! p M8 66H119v3H8Z
    pane r 14 46 22 17 4;pane r 41 46 22 17 4;pane r 68 46 20 17 4;pane p M94 63V46H102Q108 50 111 63Z;glass%50 p M99 46h4l6 17h-5Z
    pink c 26 80 5;yellow c 26 80 2;amber c 66 82 5;red c 66 82 2;white c 50 78 4;blue c 50 78 1.6;lamp c 115 76 4;steel r 6 90 116 4 2;shade%30/1 p M65 68V92M91 46V92
    ${wheel(28, 92, 12, "chrome")}
    ${wheel(98, 92, 12, "chrome")}`,
  508: `#efe9dc p M4 94V34Q4 29 9 29H108Q116 30 117 40V50H104L112 66L121 70V94Z;pane p M92 66V52H102L108 66Z;pane r 12 40 24 16 2;pane r 46 40 26 16 2
    #a56a3c! r 4 68 117 4;#d9a05a! r 4 74 117 3;shade%35/1 p M76 40V92H90V40Z;lamp r 115 78 6 5 2;steel r 4 90 118 4 2;grey r 30 24 22 5 2
    ${heavyWheel(28, 92, 12)}
    ${heavyWheel(100, 92, 12)}`,
};
