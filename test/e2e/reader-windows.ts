import type { BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { beforeAll } from "vitest";
import type { BrowserSite } from "../helpers/browser.ts";
import type { Reader } from "../helpers/page-types.ts";
import { makeReaders } from "../helpers/readers.ts";
import { type Theme, watchShifts } from "./page-faults.ts";

/** Where the readers are: UTC+3 all year. */
const TIME_ZONE = "Europe/Moscow";

/** A window that visits one page after the other, each as a first-time visitor. */
export interface ReaderWindow {
  readonly page: Page;
  /** The errors of its console, and what it requests from other hosts. */
  readonly complaints: string[];
  readonly session: CDPSession;
}

/** Chromium takes as much time for a window as for a page in it, so that windows are kept for the pages to come. */
export function useReaderWindows(site: BrowserSite) {
  const free: Record<Reader, ReaderWindow[]> = { visitor: [], user: [], operator: [] };
  const plain: Record<Reader, Page[]> = { visitor: [], user: [], operator: [] };
  let readers: Record<Reader, BrowserContextOptions>;
  beforeAll(async () => {
    readers = await makeReaders(site);
  });

  async function open(reader: Reader): Promise<ReaderWindow> {
    const { page, context, complaints } = await site.open({ ...readers[reader], timezoneId: TIME_ZONE });
    context.on("request", (request) => {
      if (!request.url().startsWith(site.url)) complaints.push(`requests ${request.url()}`);
    });
    await watchShifts(context);
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    return { page, complaints, session };
  }

  return {
    async take(reader: Reader, colorScheme: Theme): Promise<ReaderWindow> {
      const window = free[reader].pop() ?? (await open(reader));
      window.complaints.length = 0;
      await window.page.emulateMedia({ colorScheme, reducedMotion: "no-preference" });
      return window;
    },
    /** A window with a failure is not reused, and goes with the browser. */
    async giveBack(reader: Reader, window: ReaderWindow): Promise<void> {
      await window.page.evaluate(() => localStorage.clear());
      free[reader].push(window);
    },
    /** Runs a check in a window that runs no script, however busy the others are. */
    async withoutScript<T>(reader: Reader, check: (page: Page) => Promise<T>): Promise<T> {
      const options = { ...readers[reader], timezoneId: TIME_ZONE, javaScriptEnabled: false };
      const page = plain[reader].pop() ?? (await site.open(options)).page;
      const result = await check(page);
      plain[reader].push(page);
      return result;
    },
  };
}

/** Loads all resources again, as for a first-time visitor. */
export async function loadAnew({ session }: ReaderWindow, cacheDisabled: boolean): Promise<void> {
  await session.send("Network.setCacheDisabled", { cacheDisabled });
}
