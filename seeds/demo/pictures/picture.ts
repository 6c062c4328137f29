import { type Drawing, draw, silhouette } from "./pen.ts";
import type { Scene } from "./scenes.ts";

/** A whole picture as SVG: a square with round corners, the scene, the thing's shadow and the thing. */
export function picture(drawing: Drawing, scene: Scene): string {
  const back = draw(scene.back);
  const thing = draw(drawing);
  const front = draw(scene.front ?? "");
  const [top, bottom] = scene.sky;
  const shadow =
    scene.ground === undefined
      ? `<g opacity=".2" transform="translate(2.5 4)">${silhouette(drawing)}</g>`
      : `<ellipse cx="66" cy="${scene.ground}" rx="60" ry="4.5" fill="#0b1026" opacity=".28"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="640" viewBox="0 0 128 128"><defs>`,
    `<linearGradient id="sky" x1="0" y1="0" x2=".3" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient>`,
    `<clipPath id="tile"><rect width="128" height="128" rx="20"/></clipPath>`,
    uniqueGradients(back.gradients + thing.gradients + front.gradients),
    `</defs><g clip-path="url(#tile)"><rect width="128" height="128" fill="url(#sky)"/>`,
    back.shapes,
    shadow,
    thing.shapes,
    front.shapes,
    `</g></svg>`,
  ].join("");
}

function uniqueGradients(gradients: string): string {
  return [...new Set(gradients.match(/<linearGradient.*?<\/linearGradient>/g))].join("");
}
