import type { CDPSession, Page } from "playwright-core";

/** Something that a reader does with the map; ends when the map lies still again. */
export type Gesture = (page: Page, devtools: CDPSession) => Promise<void>;

/** As often as a screen of 60 Hz shows a frame. */
const FRAME_MS = 16;
const STEPS = 60;

/** With a mouse and a keyboard. */
export const DESKTOP_GESTURES: Record<string, Gesture> = {
  "zoom in with +": (page) => press(page, "+", 6),
  "drag close up": drag,
  "zoom out with −": (page) => press(page, "-", 3),
  "drag from further": drag,
  "wheel in and out": async (page) => {
    await wheel(page, -120);
    await wheel(page, 120);
  },
};

/** With one finger and two. */
export const TOUCH_GESTURES: Record<string, Gesture> = {
  "spread two fingers": (page, devtools) => pinch(page, devtools, 40, 150),
  "drag with a finger": (page, devtools) => slide(page, devtools),
  "pinch two fingers": (page, devtools) => pinch(page, devtools, 150, 60),
};

async function press(page: Page, key: string, times: number): Promise<void> {
  await page.locator(".map-view").focus();
  for (let time = 0; time < times; time++) {
    await page.keyboard.press(key);
    await page.waitForTimeout(450);
  }
}

async function drag(page: Page): Promise<void> {
  const middle = await middleOf(page);
  for (let turn = 0; turn < 2; turn++) {
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    for (let step = 1; step <= STEPS; step++) {
      const angle = (step / STEPS) * 2 * Math.PI + turn;
      await page.mouse.move(middle.x + 160 * Math.sin(angle), middle.y + 160 * (1 - Math.cos(angle)) * 0.5);
      await page.waitForTimeout(FRAME_MS);
    }
    await page.mouse.up();
    await page.waitForTimeout(300);
  }
}

async function wheel(page: Page, delta: number): Promise<void> {
  const middle = await middleOf(page);
  await page.locator(".map-view").focus();
  await page.mouse.move(middle.x, middle.y);
  for (let turn = 0; turn < 12; turn++) {
    await page.mouse.wheel(0, delta);
    await page.waitForTimeout(60);
  }
  await page.waitForTimeout(500);
}

/** Two fingers on a line through the middle, from one distance to another. */
async function pinch(page: Page, devtools: CDPSession, from: number, to: number): Promise<void> {
  const middle = await middleOf(page);
  const fingers = (distance: number) => [
    { x: middle.x - distance, y: middle.y - distance / 3, id: 0 },
    { x: middle.x + distance, y: middle.y + distance / 3, id: 1 },
  ];
  await touch(page, devtools, (share) => fingers(from + (to - from) * share));
}

async function slide(page: Page, devtools: CDPSession): Promise<void> {
  const middle = await middleOf(page);
  await touch(page, devtools, (share) => [
    { x: middle.x + 90 * Math.sin(share * 12), y: middle.y + 60 * Math.sin(share * 7), id: 0 },
  ]);
}

async function touch(
  page: Page,
  devtools: CDPSession,
  at: (share: number) => { x: number; y: number; id: number }[],
): Promise<void> {
  await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
  for (let step = 1; step <= STEPS; step++) {
    await devtools.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(step / STEPS) });
    await page.waitForTimeout(FRAME_MS);
  }
  await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.waitForTimeout(600);
}

async function middleOf(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator(".map-view").boundingBox();
  if (!box) throw new Error("there is no map");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
