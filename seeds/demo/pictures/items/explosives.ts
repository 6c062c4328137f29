import { type Drawing, turned } from "../pen.ts";

const pin: Drawing =
  "steel/3 p M40 34a8 8 0 1 1 0.1 0.1;steel r 46 26 26 10 3;steel p M66 26L90 34Q96 38 94 62L88 62Q88 44 84 40L66 36Z";

/** Heavy weapons and explosives. */
export const EXPLOSIVES: Readonly<Record<string, Drawing>> = {
  "weapon-16": `${pin};iron r 50 36 24 12 2;olive p M36 62Q36 46 62 46Q88 46 88 62V90Q86 112 62 112Q38 112 36 90Z;olive--/2 p M48 48V110M62 46V112M76 48V110M37 64H87M36 80H88M39 96H86;white%35/2.5 p M42 66Q42 54 52 51`,
  "weapon-17": `${pin};iron r 50 36 24 10 2;teal r 40 46 44 64 5;yellow! r 40 62 44 10;white! r 40 84 44 5;teal- r 40 102 44 8 4;white%40/3 p M46 52V100;grey%70 c 92 30 9;grey%50 c 104 20 11;grey%60 c 82 22 6`,
  "weapon-18": `fire p M60 40Q42 28 58 6Q60 18 70 16Q66 8 74 2Q90 26 72 40Z;yellow p M62 38Q54 30 64 18Q68 26 72 22Q78 32 70 38Z;cream p M56 34H74L76 52H54Z;green%90 p M54 48H76V60Q90 66 90 80V112Q90 118 84 118H46Q40 118 40 112V80Q40 66 54 60Z;amber%75 p M43 82H87V110Q87 115 82 115H48Q43 115 43 110Z;cream r 46 86 38 18 2;red p M65 88q8 8 0 14q-8 -6 0 -14Z;white%55/3 p M46 76V108`,
  "weapon-35": turned(
    -24,
    `olive r 4 52 88 18 4;olive- p M2 48L12 54V68L2 74Z;wood r 34 50 26 22 3;walnut/1.5 p M40 52v18M46 52v18M52 52v18;gun p M46 72H56L52 92H42ZM66 72H76L72 92H62Z;olive p M90 54H98L112 48Q122 56 126 61Q122 66 112 74L98 68H90Z;red p M114 50L126 61L114 72Z;gun r 66 40 14 12 2;glass r 78 43 3 6`,
  ),
  "weapon-36": turned(
    -24,
    `gun r 2 48 112 24 5;iron r 2 46 10 28 3;iron r 104 46 14 28 3;olive r 30 48 14 24;olive r 72 48 14 24;black r 48 34 26 14 3;glass r 72 37 4 8 1;gun p M44 72H54L50 94H40ZM64 72H74L70 94H60Z;red c 20 60 4;amber c 96 60 3;white%35/2 p M14 52H102`,
  ),
  "weapon-37": turned(
    -18,
    `red r 10 68 22 42 9;red r 30 68 22 42 9;red+ r 14 72 4 32 2;red+ r 34 72 4 32 2;steel r 14 62 34 8 3;gun/4 p M40 64Q50 46 60 54;gun r 52 48 40 12 4;iron r 88 50 20 7 2;gun p M60 60H70L68 80H58Z;gun p M80 60H88V74H80Z;iron r 104 46 8 15 2;fire p M112 53Q114 38 128 36Q122 46 134 52Q124 58 126 68Q114 66 112 53Z;yellow p M112 53Q116 46 122 46Q119 52 126 54Q119 60 112 53Z`,
  ),
  "weapon-38": turned(
    -18,
    `gun r 10 42 34 36 8;iron r 14 48 26 8 3;black/6 p M18 42Q20 24 42 28L58 34;iron r 42 44 8 32 2;steel r 48 46 70 6 2;steel- r 48 53 70 6 2;steel r 48 60 70 6 2;steel- r 48 67 70 6 2;iron r 74 43 6 33 2;iron r 106 43 8 33 2;black r 116 47 4 26 1;brass/7 p M24 78Q22 98 42 104L64 108;brass--/1.6 p M27 86l-7 3M31 94l-6 5M38 99l-3 6M47 101l-2 7M56 103l-1 7;gun p M28 76H38L32 98H24Z`,
  ),
  "weapon-39": `olive p M22 46L30 38H102L108 46V100Q108 106 102 106H28Q22 106 22 100Z;olive-- r 22 62 86 8;olive-- r 40 38 8 68;olive-- r 80 38 8 68;gun r 48 52 32 34 3;#1d2a20 r 53 57 22 11 1;red/2.4 p M57 62h6M67 62h5;red c 56 77 3.4;green c 68 77 3.4;red/3 p M52 52Q44 24 64 26;blue/3 p M74 52Q90 22 66 20;steel/3 p M48 38Q64 20 84 38`,
  "weapon-40": turned(
    10,
    `gun p M44 40H84Q92 40 92 48V112Q92 118 84 118H44Q36 118 36 112V48Q36 40 44 40Z;iron r 44 64 40 46 4;steel/4 p M80 40V10;red c 80 10 4;red c 64 54 12;red+ c 62 51 6;black- c 64 54 0.1;amber! r 50 70 28 8 2;gun/2 p M50 86H78M50 93H78M50 100H78;white%30/2 p M41 48V108`,
  ),
  "misc-dynamite": turned(
    -14,
    `fire p M76 14L82 6L84 14L94 12L88 20L94 28L84 26L80 34L76 26L66 26L73 20Z;black/3 p M64 44Q60 26 78 20;crimson r 28 44 22 68 4;red r 50 42 24 70 4;crimson r 74 44 22 68 4;cream e 39 46 11 4;cream e 62 44 12 4;cream e 85 46 11 4;black r 24 60 76 7 2;black r 24 92 76 7 2;white%40/2.5 p M56 48V110M33 50V108`,
  ),
};
