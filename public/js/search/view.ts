/** Fits the search box's list: on a phone it is as wide as the screen and ends above the keyboard. */

const GAP = 8;
/** Three results, in pixels: with less, the box goes to the top of the screen. */
const LEAST_HEIGHT = 170;

/** Places `box` below `form` from `start` to `stop`: the style sheet takes its three measures from it. */
export function keepInView(form: HTMLElement, box: HTMLElement) {
  const screen = window.visualViewport;

  function place() {
    let room = roomBelow();
    if (room < LEAST_HEIGHT) {
      form.scrollIntoView({ block: "start", behavior: "instant" });
      room = roomBelow();
    }
    const { left } = form.getBoundingClientRect();
    box.style.setProperty("--box-left", `${-left}px`);
    box.style.setProperty("--box-width", `${document.documentElement.clientWidth}px`);
    box.style.setProperty("--box-height", `${Math.max(room, LEAST_HEIGHT / 2)}px`);
  }

  function roomBelow() {
    const bottom = screen ? screen.offsetTop + screen.height : window.innerHeight;
    return bottom - form.getBoundingClientRect().bottom - GAP;
  }

  return {
    start() {
      place();
      screen?.addEventListener("resize", place);
    },
    stop() {
      screen?.removeEventListener("resize", place);
    },
  };
}
