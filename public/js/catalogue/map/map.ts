/**
 * Replaces the page's picture of the map by an interactive one, and connects it with the list beside it. Without
 * scripts the list's links show one entry at a time.
 */
import type { Map as LeafletMap } from "leaflet/src/map/Map.js";
import type { MapPoint } from "../../../../src/catalogue/map/clusters.ts";
import { text } from "../../web/texts.ts";
import { toast } from "../../web/toast.ts";
import { findPlaces, showFound } from "./find.ts";
import { PlaceMarkers } from "./markers.ts";
import { openPopup } from "./popup.ts";
import { createMap, isCalm } from "./view.ts";

/** How far in a single entry is shown, in steps of two from the whole map. */
const NEAR = 2.5;
const PAUSE_MS = 120;

interface Live {
  readonly map: LeafletMap;
  readonly markers: PlaceMarkers;
}

const box = document.querySelector<HTMLElement>("[data-map]");
let points: readonly MapPoint[] = [];
/** The map, once there are points to put on it. */
let live: Live | undefined;
/** The element that opened the popup, for focus to return to. */
let opener: HTMLElement | undefined;
let request: AbortController | undefined;
let timer: number | undefined;
/** Closes the message about the last failure. */
let unsay: () => void = () => undefined;

if (box) {
  showView(box);
  // Filtering in place changes the points; the map's view stays.
  document.addEventListener("list:shown", () => showView(box));
}

/** Puts the page's current points on the map. */
async function showView(box: HTMLElement) {
  unsay();
  const {
    points: address = "",
    at = "",
    label = "",
  } = (box.querySelector("[data-map-view]") as HTMLElement).dataset;
  const answer = await askPoints(address);
  if (answer === undefined) return;
  // Until the map is there, picture and links work without it.
  if (!answer.points && !live) return;
  if (!answer.points) {
    const again = { label: text("script.list.again"), run: () => showView(box) };
    unsay = toast(text("script.map.stale"), { action: again });
    return;
  }
  points = answer.points;
  live ??= beginMap(box);
  live.map.getContainer().setAttribute("aria-label", label);
  find(live);
  const chosen = points.find(({ id }) => id === at);
  if (chosen) showPoint(live, chosen);
}

/** The points of an address; `{}` after a failure, undefined if another address was requested meanwhile. */
async function askPoints(address: string): Promise<{ points?: MapPoint[] } | undefined> {
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" }, signal });
    const answer = response.ok ? await response.json() : {};
    return signal.aborted ? undefined : answer;
  } catch {
    return signal.aborted ? undefined : {};
  }
}

/** Replaces the picture by the map. */
function beginMap(box: HTMLElement): Live {
  const map = createMap(box);
  const markers = new PlaceMarkers(map, { open: (found) => openPopup(map, found), touch: markRow });
  const made = { map, markers };
  box.classList.add("is-live");
  (box.querySelector("[data-swap]") as HTMLElement).setAttribute("aria-hidden", "true");
  watchPopups(map);
  document.addEventListener("click", (event) => followLink(event, made, box));
  const list = document.querySelector(".map-list") as HTMLElement;
  for (const type of ["pointerover", "focusin"])
    list.addEventListener(type, (event) => markers.mark(placeAt(event)));
  for (const type of ["pointerleave", "focusout"]) list.addEventListener(type, () => markers.mark(undefined));
  findField()?.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, PAUSE_MS, made);
  });
  return made;
}

function watchPopups(map: LeafletMap) {
  const view = map.getContainer();
  map.on("popupopen", ({ popup }) => {
    const button = popup.getElement()?.querySelector(".leaflet-popup-close-button");
    // Leaflet's own label is English.
    button?.setAttribute("aria-label", text("script.map.close"));
    const active = document.activeElement as HTMLElement | null;
    if (!active?.matches(".map-signs > :focus-visible")) return;
    opener = active;
    popup
      .getElement()
      ?.querySelector<HTMLElement>(".leaflet-popup-content a")
      ?.focus({ preventScroll: true });
  });
  map.on("popupclose", () => {
    const isLost = document.activeElement === document.body;
    if (isLost) (opener?.isConnected ? opener : view).focus({ preventScroll: true });
    opener = undefined;
  });
  view.addEventListener("keydown", (event) => {
    if (event.key === "Escape") map.closePopup();
  });
}

/** Narrows map and list to what is typed into the list's field. */
function find({ markers }: Live) {
  const query = findField()?.value.trim() ?? "";
  const at = document.querySelector<HTMLElement>("[data-map-view]")?.dataset.at ?? "";
  const found = findPlaces(points, query);
  markers.show(found, at);
  showFound(query === "" ? undefined : found, query);
}

function findField(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>("#map-find");
}

/** The id of the entry whose row an event is on. */
function placeAt(event: Event): string | undefined {
  return (event.target as Element).closest<HTMLElement>("[data-place]")?.dataset.place;
}

function markRow(id: string | undefined) {
  for (const row of document.querySelectorAll<HTMLElement>("[data-place]"))
    row.classList.toggle("is-marked", row.dataset.place === id);
}

/** A link of the list shows its entry in place; one whose entry is not on this map leads to a map that has it. */
function followLink(event: MouseEvent, live: Live, box: HTMLElement) {
  const link = (event.target as Element).closest<HTMLElement>("[data-show]");
  const point = points.find(({ id }) => id === link?.dataset.show);
  if (!link || !point || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  box.scrollIntoView({ block: "nearest", behavior: isCalm ? "auto" : "smooth" });
  showPoint(live, point);
  opener = link;
  const popup = live.map.getContainer().querySelector<HTMLElement>(".leaflet-popup-content a");
  popup?.focus({ preventScroll: true });
}

function showPoint({ map }: Live, point: MapPoint) {
  const zoom = Math.max(map.getZoom(), map.getMinZoom() + NEAR);
  map.setView([point.y, point.x], zoom, { animate: false });
  openPopup(map, [point]);
}
