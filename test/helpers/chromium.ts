import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The browser that tests and measurements look at pages with; Debian's, unless CHROMIUM names another. */
const CHROMIUM = process.env.CHROMIUM || "/usr/bin/chromium";
/** The same engine without the browser around its pages, which takes a third of the time of a fresh one. Has no push. */
const SHELL = `${CHROMIUM}-headless-shell`;

/**
 * A part of Playwright's own list, which the one below replaces: features that would touch a page or request
 * something outside.
 */
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
 * Each window makes two hidden pages of its own for the answers of the address bar. They took as much of the
 * machine's time as the requested page: 3.1 s for a window and two pages of ours, 1.7 s without.
 */
const ADDRESS_BAR = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];

/** Chromium must neither phone home nor need a display. */
const CHROMIUM_FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A process less for each request to go through: a first visit takes a tenth less of the machine's time.
  "--enable-features=NetworkServiceInProcess2",
  `--disable-features=${[...KEPT_OFF, ...ADDRESS_BAR].join(",")}`,
];

/** `whole`: with the browser around its pages, where the engine is there without. */
export function launchChromium({ whole = false } = {}): Promise<Browser> {
  const executablePath = whole || !existsSync(SHELL) ? CHROMIUM : SHELL;
  return chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
}
