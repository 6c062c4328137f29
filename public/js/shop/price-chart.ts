/**
 * Says below the chart of an item's prices what it cost at the time under the pointer, or, with the arrow keys, step by
 * step. It reads the table of the history, whose times are already in the reader's zone.
 */
const figure = document.querySelector<HTMLElement>("[data-price-chart]");
const chart = figure?.querySelector<SVGSVGElement>("svg.price-chart");
const output = figure?.querySelector<HTMLElement>("[data-read-out]");

/** This near to the right edge, the pointer shows the current price. */
const NOW_PX = 8;

interface Step {
  /** In shares of the chart's width. */
  readonly from: number;
  readonly text: string;
}

if (figure && chart && output) begin(figure, chart, output);

function begin(figure: HTMLElement, chart: SVGSVGElement, output: HTMLElement) {
  const [since, until] = [Number(figure.dataset.since), Number(figure.dataset.until)];
  const steps = readSteps(since, until);
  if (steps.length === 0) return;
  const mark = drawMark(chart);
  let at = steps.length - 1;
  const show = (place: number, share: number) => {
    at = place;
    const x = String(share * chart.viewBox.baseVal.width);
    mark.setAttribute("x1", x);
    mark.setAttribute("x2", x);
    mark.removeAttribute("hidden");
    const text = steps[place]?.text ?? "";
    if (output.textContent !== text) output.textContent = text;
  };
  const hide = () => {
    mark.setAttribute("hidden", "");
    output.textContent = "";
  };
  chart.addEventListener("pointermove", ({ clientX }) => {
    const { left, width } = chart.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / width));
    // A price of some hours is less than a pixel of a year.
    const isNow = width - (clientX - left) < NOW_PX;
    const place = isNow ? steps.length - 1 : steps.findLastIndex(({ from }) => from <= share);
    if (place >= 0) show(place, share);
  });
  chart.addEventListener("pointerleave", () => chart !== document.activeElement && hide());
  chart.setAttribute("tabindex", "0");
  const showStep = (place: number) => {
    const [step, next] = [steps[place], steps[place + 1]];
    if (step) show(place, (Math.max(0, step.from) + (next?.from ?? 1)) / 2);
  };
  chart.addEventListener("focus", () => chart.matches(":focus-visible") && showStep(at));
  chart.addEventListener("blur", hide);
  chart.addEventListener("keydown", (event) => {
    const moves: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: steps.length - 1,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    showStep(Math.min(steps.length - 1, Math.max(0, to)));
  });
}

/** The rows of the table, the oldest first. */
function readSteps(since: number, until: number): Step[] {
  const rows = document.querySelectorAll<HTMLTableRowElement>("[data-price-steps] tbody tr");
  return [...rows].reverse().map((row) => {
    const time = row.querySelector("time");
    const [price, , title] = [...row.cells].slice(1).map((cell) => cell.textContent?.trim() ?? "");
    const parts = [`${time?.textContent?.trim()}: ${price}`, title];
    const from = (Date.parse(time?.dateTime ?? "") - since) / (until - since);
    return { from, text: parts.filter(Boolean).join(" · ") };
  });
}

/** The line at the pointer; its colour is the style sheet's. */
function drawMark(chart: SVGSVGElement): SVGLineElement {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const { height } = chart.viewBox.baseVal;
  mark.setAttribute("class", "chart-mark");
  mark.setAttribute("hidden", "");
  mark.setAttribute("y1", "0");
  mark.setAttribute("y2", String(height));
  chart.append(mark);
  return mark;
}
