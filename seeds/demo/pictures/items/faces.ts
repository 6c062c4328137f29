import { type Drawing, turned } from "../pen.ts";

const hockey = (
  colour: string,
  marks: string,
): Drawing => `gun/7 p M24 52Q64 34 104 52;${colour} p M28 40Q34 14 64 14Q94 14 100 40Q104 84 82 106Q64 120 46 106Q24 84 28 40Z
  black e 48 56 11 9;black e 80 56 11 9;${marks} p M64 24L71 40H57Z;${marks} p M34 72L46 76L38 86ZM94 72L82 76L90 86Z
  gun! c 56 82 3;gun! c 72 82 3;gun! c 64 90 3;gun! c 52 94 3;gun! c 76 94 3;gun! c 64 102 3;gun! c 64 76 3;gun! c 44 34 2.6;gun! c 84 34 2.6;white%50/3 p M36 46Q40 26 52 21`;
const bandana = (
  colour: string,
): Drawing => `${colour} p M12 44Q64 22 116 44L104 62Q94 96 64 114Q34 96 24 62Z;${colour}- p M12 44Q64 64 116 44L110 54Q64 74 18 54Z;${colour}-- p M12 44L4 34L8 56ZM116 44L124 34L120 56Z
  white p M64 72q6 -8 10 0q2 8 -10 16q-12 -8 -10 -16q4 -8 10 0Z;white c 40 68 3;white c 88 68 3;white c 50 86 2.6;white c 78 86 2.6;white c 64 100 2.6;white%25/2.5 p M28 58Q38 64 50 66`;
const glasses = (frame: string, lens: string, shape: "round" | "aviator" | "square"): Drawing => {
  const one = {
    round: "M36 50a20 20 0 1 0 .1 0",
    aviator: "M16 50Q36 44 58 50Q60 82 40 84Q18 82 16 50Z",
    square: "M16 48H58V72Q56 80 48 80H26Q18 80 16 72Z",
  }[shape];
  const mirrored = (drawing: Drawing): Drawing => `( translate(128 0) scale(-1 1)\n${drawing}\n)`;
  const half = `${lens} p ${one}Z\n${frame}/5 p ${one}Z\n${frame}/4.5 p M16 54L8 50`;
  return `${half}
    ${mirrored(half)}
    ${frame}/5 p M57 56Q64 48 71 56
    white%60/4 p M28 58L36 52M82 58L90 52;white%35/3 p M30 68L44 55M84 68L98 55`;
};
const hockeyMask = hockey("#f3eee2", "crimson");
export const HOCKEY_MASK = hockeyMask;

/** Masks, glasses and false beards. */
export const FACES: Readonly<Record<string, Drawing>> = {
  "mask-ski-black": `black p M30 46Q32 12 64 12Q96 12 98 46V88Q96 116 64 116Q32 116 30 88Z;skin e 48 54 12 8;skin e 80 54 12 8;white e 48 54 7 5;white e 80 54 7 5;navy c 49 54 3.5;navy c 81 54 3.5;crimson e 64 90 14 8;white r 54 87 20 5 2;gun+/1.6 p M38 34Q64 22 90 34M36 72Q40 100 64 106M92 72Q88 100 64 106`,
  "mask-hockey-white": hockeyMask,
  "mask-hockey-red": hockey("#d5413c", "white"),
  "mask-hockey-green": hockey("#4e9b55", "yellow"),
  "mask-zorro": `black p M4 40Q30 34 64 46Q98 34 124 40Q122 84 92 86Q72 86 64 72Q56 86 36 86Q6 84 4 40Z;skin p M26 58Q38 50 52 62Q46 72 38 72Q28 70 26 58ZM102 58Q90 50 76 62Q82 72 90 72Q100 70 102 58Z;white e 40 62 7 4.5;white e 88 62 7 4.5;black c 40 62 3;black c 88 62 3;gun+/2.5 p M14 46Q36 42 62 54;black p M120 42L128 28L126 60L118 66Z`,
  "mask-gas": `olive p M28 46Q30 14 64 14Q98 14 100 46V76Q98 92 84 98H44Q30 92 28 76Z;gun c 45 50 17;gun c 83 50 17;glass c 45 50 12;glass c 83 50 12;white%70 e 41 45 4 3;white%70 e 79 45 4 3;gun r 46 74 36 30 8;iron c 64 90 16;gun c 64 90 11;iron/2.5 p M56 86H72M55 91H73M57 96H71;gun c 30 92 14;iron c 30 92 9;black/5 p M30 34L14 26M98 34L114 26;white%30/3 p M38 26Q48 19 60 18`,
  "mask-devil": `red p M32 46Q34 26 64 26Q94 26 96 46Q100 84 64 116Q28 84 32 46Z;bone p M36 38Q16 34 18 8Q28 24 48 28ZM92 38Q112 34 110 8Q100 24 80 28Z;black p M38 50L58 58Q56 68 46 66Q38 62 38 50ZM90 50L70 58Q72 68 82 66Q90 62 90 50Z;yellow c 49 60 4;yellow c 79 60 4;black p M44 80Q64 90 84 80Q82 98 64 100Q46 98 44 80Z;white p M48 83L52 90L56 85ZM80 83L76 90L72 85Z;crimson p M58 100H70L64 114Z;red-/2 p M60 62L58 74H70L68 62`,
  "mask-medical": `white/3 p M26 52Q6 50 8 66Q10 84 28 82M102 52Q122 50 120 66Q118 84 100 82;sky p M22 48Q44 42 64 34Q84 42 106 48V84Q96 100 64 106Q32 100 22 84Z;sky+ r 22 48 84 1;white%80/2 p M24 60Q64 52 104 60M24 72Q64 66 104 72M26 84Q64 80 102 84;white r 48 38 32 5 2`,
  "bandana-black": bandana("#33363f"),
  "bandana-green": bandana("#2f9a4b"),
  "bandana-purple": bandana("#7c42b8"),
  "bandana-yellow": bandana("#efc02c"),
  "bandana-turquoise": bandana("#22b2b0"),
  "bandana-blue": bandana("#2c63cc"),
  "glasses-police": glasses("gold", "#3c4a40", "aviator"),
  "glasses-aviator": glasses("steel", "#5b4030", "aviator"),
  "glasses-square": glasses("black", "#3a4150", "square"),
  "glasses-red": glasses("crimson", "#f0706a", "round"),
  "glasses-blue": glasses("navy", "#6fb0f0", "round"),
  "glasses-green": glasses("forest", "#7fd08a", "round"),
  "glasses-reading": glasses("walnut", "#e9f3f7", "square"),
  monocle: `gold/6 p M54 26a30 30 0 1 0 .1 0;glass%75 c 54 56 27;white%70/5 p M36 56Q38 40 52 36;gold c 78 76 4;gold/3 p M80 78Q104 84 98 104Q92 120 112 118;gold- r 50 20 10 7 3`,
  "eye-patch": turned(
    -8,
    `black/6 p M4 40Q64 26 124 44M4 40Q34 60 44 64;black p M40 42Q66 34 90 44Q96 80 66 92Q36 82 40 42Z;gun+/2.5 p M46 48Q66 42 84 49;white p M56 58Q56 50 65 50Q74 50 74 58Q74 62 71 64V68H59V64Q56 62 56 58Z;black c 61 58 2.4;black c 69 58 2.4`,
  ),
  "moustache-thick": `walnut p M64 58Q52 40 36 50Q22 60 20 78Q12 84 4 76Q10 100 34 96Q54 92 64 76Q74 92 94 96Q118 100 124 76Q116 84 108 78Q106 60 92 50Q76 40 64 58Z;walnut+/2 p M58 62Q46 54 36 64Q30 74 26 84M70 62Q82 54 92 64Q98 74 102 84M54 72Q44 74 40 86M74 72Q84 74 88 86`,
  "moustache-thin": `black p M64 62Q50 56 36 66Q20 78 8 58Q6 84 30 84Q52 82 64 70Q76 82 98 84Q122 84 120 58Q108 78 92 66Q78 56 64 62Z;gun+/1.6 p M58 66Q44 68 34 76M70 66Q84 68 94 76`,
};
