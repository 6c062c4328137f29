// Cards of this site's entries on other sites, which load this file from us: docs/operate.md and /docs/cards.

import { showCards } from "./hover-cards.ts";

const { origin } = new URL((document.currentScript as HTMLScriptElement).src);

/** Put into the page by script, so that a policy of the page's own for styles has nothing against it. */
const STYLE = `:host{all:initial}
*{margin:0;box-sizing:border-box}
.hover-card{position:fixed;z-index:2147483647;width:max-content;max-width:min(20rem,calc(100vw - 16px));padding:12px 14px;font:14px/1.45 system-ui,sans-serif;color:#17211f;background:#fffefa;border:1px solid #d6d2c2;border-radius:8px;box-shadow:0 6px 24px #0003;overflow-wrap:anywhere}
[hidden]{display:none}
img{float:right;margin-left:12px;border-radius:4px;object-fit:contain}
.hover-card-kind,dt,s{color:#56605b}
.hover-card-kind{font-size:12px}
.hover-card-name{font-weight:700;font-size:16px}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 12px;margin-top:6px}
.hover-card-price{margin-top:6px;font-weight:600}
.visually-hidden{position:absolute;clip-path:inset(50%)}
@media(prefers-color-scheme:dark){.hover-card{color:#e9ece4;background:#182326;border-color:#2f4046}.hover-card-kind,dt,s{color:#a2b0ad}}`;

const host = document.createElement("almanac-card");
host.ariaHidden = "true";
const root = host.attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
root.adoptedStyleSheets = [sheet];
const holder = document.createElement("div");
holder.className = "hover-card";
holder.hidden = true;
root.append(holder);
document.body.append(host);
showCards({ origin, holder, prepare });

/** Addresses in a card are of our site; the colours of its name are in a sheet that this page does not have. */
function prepare(content: HTMLElement): void {
  for (const image of content.querySelectorAll("img")) {
    image.removeAttribute("srcset");
    image.src = new URL(image.getAttribute("src") ?? "", origin).href;
  }
  // Browsers load no drawing from the sheet of another site.
  content.querySelector("[data-glyph]")?.remove();
  const name = content.querySelector<HTMLElement>("[data-light]");
  const { light, dark } = name?.dataset ?? {};
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (name) name.style.color = (isDark ? dark : light) ?? "";
}
