/** The colours of all drawings by name. One palette keeps 688 pictures one set. */
export const COLOURS: Readonly<Record<string, string>> = {
  // Metals
  steel: "#a9b4c2",
  iron: "#5d6675",
  gun: "#3f4651",
  black: "#2a2e37",
  tyre: "#23262d",
  rim: "#d3dae3",
  chrome: "#e3e9f0",
  gold: "#f0b93a",
  brass: "#d39a3a",
  copper: "#c9713f",
  silver: "#c8d0da",
  rust: "#a4552f",
  // Woods, skins, cloth
  wood: "#a8683a",
  oak: "#c98d52",
  walnut: "#6f4328",
  leather: "#7d4a2b",
  tan: "#d8ab74",
  cream: "#f6e7c8",
  bone: "#efe6d6",
  skin: "#e9b48c",
  white: "#f7f8fa",
  paper: "#fbf7ec",
  grey: "#8d96a3",
  // Bright ones
  red: "#d93d3d",
  crimson: "#a92639",
  orange: "#f0842c",
  amber: "#f7a928",
  yellow: "#f8d03e",
  lime: "#9fce3d",
  green: "#3f9e4d",
  forest: "#2d6b45",
  olive: "#6d7444",
  khaki: "#a89b6a",
  teal: "#219c98",
  sky: "#64b7ea",
  blue: "#2f6fd0",
  navy: "#274072",
  purple: "#7a4fc0",
  pink: "#ec6ea8",
  magenta: "#c23d8e",
  // Stuff
  glass: "#9fd0ea",
  pane: "#35506e",
  water: "#3f97d6",
  sand: "#e7c98c",
  earth: "#7b5436",
  stone: "#9b9ea3",
  coal: "#33363d",
  leaf: "#4fa64b",
  fire: "#ff9d2e",
  lamp: "#fff0b3",
  tail: "#f0413f",
  shade: "#101522",
};

/** `colour` moved towards white (above 0) or a dark blue (below 0) by a share. */
export function shade(colour: string, share: number): string {
  const target = share > 0 ? [255, 255, 255] : [16, 21, 44];
  const amount = Math.min(1, Math.abs(share));
  const channels = [1, 3, 5].map((at, i) => {
    const from = Number.parseInt(colour.slice(at, at + 2), 16);
    return Math.round(from + ((target[i] ?? 0) - from) * amount);
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
