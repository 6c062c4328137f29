import "../web/own-kinds.ts";
import { catalogueKinds, has } from "../../../src/words/kinds/kinds.ts";

/** The source of cards, and their parent. */
export interface CardPlace {
  /** The site whose entries have cards, without a slash at the end. */
  readonly origin: string;
  /** Holds the card; it is in the page already, hidden, and fixed at the page's corner. */
  readonly holder: HTMLElement;
  /** Adapts the content of a card before it is shown. */
  prepare?(content: HTMLElement): void;
}

const DELAY_MS = 150;
/** How long the pointer may take from the link to its card. */
const GRACE_MS = 150;
/** Between a link and its card, and between the card and the window's edge. */
const GAP = 8;

/** The paths of entries below a kind, except the kind's map. */
const BELOW_KINDS = catalogueKinds().map((kind) => `${kind}/${has(kind, "isPlaced") ? "(?!map$)" : ""}[^/]+`);
const ENTRY = new RegExp(`^(/[a-z]{2}(-[A-Za-z]+)?)?/(${BELOW_KINDS.join("|")})$`);

/**
 * Shows a card beside a link to an entry after 150 ms of hover or keyboard focus; not on touch. Fetches each card
 * once. The card covers neither its link nor, on wide screens, what is below it. It takes no focus, and closes on
 * Escape, on scrolling, and with the pointer.
 *
 * It is hidden from screen readers: it repeats the page behind the link, and they would read it for each of fifty
 * links of a list.
 */
export function showCards({ origin, holder, prepare }: CardPlace): void {
  const cards = new Map<string, Promise<HTMLElement | undefined>>();
  /** The link whose card is shown or about to be. */
  let current: HTMLAnchorElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  on("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    if (event.composedPath().includes(holder)) stay();
    else aim(event.target);
  });
  on("pointerout", ({ relatedTarget }) => !relatedTarget && leave());
  on("focusin", ({ target }) => (target as Element).matches(":focus-visible") && aim(target));
  on("focusout", close);
  on("pointerdown", close);
  on("keydown", ({ key }) => key === "Escape" && close());
  // The focus may scroll to its link, whose card is yet to come.
  on("scroll", () => !holder.hidden && close());

  function on<Name extends keyof DocumentEventMap>(
    name: Name,
    act: (event: DocumentEventMap[Name]) => unknown,
  ) {
    document.addEventListener(name, act, { capture: true, passive: true });
  }

  function aim(target: EventTarget | null): void {
    const link = (target as Element).closest?.<HTMLAnchorElement>("a[href]");
    if (link && link === current) stay();
    else if (link && cardOf(link) && !matchMedia("(pointer: coarse)").matches) {
      close();
      current = link;
      timer = setTimeout(show, DELAY_MS, link);
    } else if (current) leave();
  }

  /** The address of the card of a link to an entry. */
  function cardOf(link: HTMLAnchorElement): string | undefined {
    // A link of a drawing has neither.
    if (link.origin !== origin || !ENTRY.test(link.pathname)) return undefined;
    const isHere = link.pathname === location.pathname && origin === location.origin;
    return isHere ? undefined : `${origin}${link.pathname}/card`;
  }

  async function show(link: HTMLAnchorElement): Promise<void> {
    const address = cardOf(link) as string;
    const asked = cards.get(address) ?? ask(address);
    cards.set(address, asked);
    const card = await asked;
    if (!card || current !== link) return;
    holder.replaceChildren(card);
    holder.hidden = false;
    if (!put(link)) close();
  }

  async function ask(address: string): Promise<HTMLElement | undefined> {
    try {
      const answer = await fetch(address, {
        credentials: origin === location.origin ? "same-origin" : "omit",
      });
      if (!answer.ok) return undefined;
      // A document of its own loads nothing before `prepare` has seen it.
      const content = new DOMParser().parseFromString(await answer.text(), "text/html").body
        .firstElementChild as HTMLElement;
      prepare?.(content);
      return content;
    } catch {
      cards.delete(address);
      return undefined;
    }
  }

  /** Puts the card beside the link, else below or above it; false if it would cover it everywhere. */
  function put(link: HTMLAnchorElement): boolean {
    const { top, bottom, left, right } = link.getBoundingClientRect();
    const { width, height } = holder.getBoundingClientRect();
    const [wide, high] = [document.documentElement.clientWidth, innerHeight];
    const beside = [right + GAP, left - GAP - width].find((x) => x >= GAP && x + width + GAP <= wide);
    const under = [bottom + GAP, top - GAP - height].find((y) => y >= GAP && y + height + GAP <= high);
    if (beside === undefined && under === undefined) return false;
    const x = beside ?? Math.max(GAP, Math.min(left, wide - GAP - width));
    const y = beside === undefined ? (under ?? 0) : Math.max(GAP, Math.min(top, high - GAP - height));
    holder.style.left = `${x}px`;
    holder.style.top = `${y}px`;
    return true;
  }

  function stay(): void {
    if (!holder.hidden) clearTimeout(timer);
  }

  function leave(): void {
    clearTimeout(timer);
    timer = setTimeout(close, holder.hidden ? 0 : GRACE_MS);
  }

  function close(): void {
    clearTimeout(timer);
    current = undefined;
    holder.hidden = true;
  }
}
