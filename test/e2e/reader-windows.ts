import type { BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { beforeAll } from "vitest";
import type { BrowserSite } from "../helpers/browser.ts";
import type { Reader } from "../helpers/page-types.ts";
import { makeReaders } from "../helpers/readers.ts";
import { watchShifts } from "./page-faults.ts";

/** A window in which one page after the other is looked at, each as by somebody who was never there. */
export interface ReaderWindow {
  readonly page: Page;
  /** What the page complains of in its console. */
  readonly complaints: string[];
  readonly session: CDPSession;
}

/** Chromium takes as much time for a window as for a page in it, so that windows are kept for the pages to come. */
export function useReaderWindows(site: BrowserSite) {
  const free: Record<Reader, ReaderWindow[]> = { visitor: [], user: [], operator: [] };
  let readers: Record<Reader, BrowserContextOptions>;
  beforeAll(async () => {
    readers = await makeReaders(site);
  });

  async function open(reader: Reader): Promise<ReaderWindow> {
    const { page, context, complaints } = await site.visit(readers[reader]);
    await watchShifts(context);
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    return { page, complaints, session };
  }

  return {
    async take(reader: Reader): Promise<ReaderWindow> {
      const window = free[reader].pop() ?? (await open(reader));
      await window.page.emulateMedia({ colorScheme: "light", reducedMotion: "no-preference" });
      return window;
    },
    /** One in which something went wrong is not given back, and is gone with the browser. */
    async giveBack(reader: Reader, window: ReaderWindow): Promise<void> {
      await window.page.evaluate(() => localStorage.clear());
      await window.page.goto("about:blank");
      window.complaints.length = 0;
      free[reader].push(window);
    },
  };
}

/** Whether what the site sends is loaded anew, as by who comes for the first time. */
export async function loadAnew({ session }: ReaderWindow, cacheDisabled: boolean): Promise<void> {
  await session.send("Network.setCacheDisabled", { cacheDisabled });
}
