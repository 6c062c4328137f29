import { type Drawing, round } from "../pen.ts";

/** A wheel from the side. */
export function wheel(x: number, y: number, r: number, rim = "rim"): Drawing {
  const spokes = [0, 72, 144, 216, 288].map((degrees) => {
    const angle = ((degrees - 90) * Math.PI) / 180;
    return `M${x} ${y}L${round(x + Math.cos(angle) * r * 0.58)} ${round(y + Math.sin(angle) * r * 0.58)}`;
  });
  return `tyre c ${x} ${y} ${r}
    ${rim} c ${x} ${y} ${r * 0.66}
    gun! c ${x} ${y} ${r * 0.54}
    ${rim}/${round(r * 0.17)} p ${spokes.join("")}
    ${rim}- c ${x} ${y} ${r * 0.18}`;
}

/** A plain wheel of lorries: a dish with bolts. */
export function heavyWheel(x: number, y: number, r: number, rim = "steel"): Drawing {
  return `tyre c ${x} ${y} ${r}
    ${rim} c ${x} ${y} ${r * 0.6}
    ${rim}-- c ${x} ${y} ${r * 0.42}
    ${rim} c ${x} ${y} ${r * 0.2}`;
}

/** A wheel with a white wall and a full hub cap, as old cars have. */
export function whitewall(x: number, y: number, r: number): Drawing {
  return `tyre c ${x} ${y} ${r}
    white! c ${x} ${y} ${r * 0.74}
    tyre+ c ${x} ${y} ${r * 0.54}
    chrome c ${x} ${y} ${r * 0.46}
    chrome-- c ${x} ${y} ${r * 0.16}`;
}

/** A wheel of wire, of cycles. */
export function spokedWheel(x: number, y: number, r: number, width = 4): Drawing {
  const spokes = [0, 30, 60, 90, 120, 150].map((degrees) => {
    const angle = (degrees * Math.PI) / 180;
    const [dx, dy] = [round(Math.cos(angle) * (r - 2)), round(Math.sin(angle) * (r - 2))];
    return `M${round(x - dx)} ${round(y - dy)}L${round(x + dx)} ${round(y + dy)}`;
  });
  return `tyre/${width} p M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0
    steel/0.8 p ${spokes.join("")}
    steel c ${x} ${y} ${round(r * 0.17)}`;
}

/** A tracked running gear between two x, as of tanks and bulldozers. */
export function track(left: number, right: number, y: number, height: number): Drawing {
  const r = height / 2;
  const count = Math.max(3, Math.round((right - left) / (height * 0.95)));
  const gap = (right - left - height) / (count - 1);
  const rollers = Array.from({ length: count }, (_, i) => round(left + r + i * gap));
  return `tyre r ${left} ${y} ${right - left} ${height} ${r}
    iron/1.5 p M${left + r} ${y + 1.5}H${right - r}M${left + r} ${y + height - 1.5}H${right - r}
    ${rollers.map((x) => `iron c ${x} ${y + r} ${round(r * 0.62)};gun c ${x} ${y + r} ${round(r * 0.25)}`).join("\n")}`;
}
