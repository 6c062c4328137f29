import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The browser that tests and measurements look at pages with; Debian's, unless CHROMIUM names another. */
export const CHROMIUM = process.env.CHROMIUM || "/usr/bin/chromium";
/** The same engine without the browser around its pages, which takes a third of the time of a fresh one. Has no push. */
const SHELL = `${CHROMIUM}-headless-shell`;

/** Of Playwright's own list, whose place the one below takes: what would touch a page or ask for something outside. */
const KEPT_OFF = [
  "AimEnabled",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

/**
 * Each window makes two pages of its own for what the address bar would answer, which nobody sees here, and which took
 * as much of the machine's time as the page that was asked for: 3.1 s for a window and two pages of ours, 1.7 s without.
 */
const ADDRESS_BAR = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];

/** Chromium must neither phone home nor need a display. */
export const CHROMIUM_FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${[...KEPT_OFF, ...ADDRESS_BAR].join(",")}`,
];

/** `whole`: with the browser around its pages, where the engine is there without. */
export function launchChromium({ whole = false } = {}): Promise<Browser> {
  const executablePath = whole || !existsSync(SHELL) ? CHROMIUM : SHELL;
  return chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
}
