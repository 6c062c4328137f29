import { createRequire } from "node:module";
import path from "node:path";
import express, { Router } from "express";
import { paths } from "../urls.ts";

/** Where the chart library (uPlot) is installed. */
const require = createRequire(import.meta.url);
const PACKAGE = "uplot/package.json";

/** Addresses of the chart library's files: the version is part of them, so that no copy of one ever goes stale. */
export function chartLibrary(): { script: string; styles: string } {
  const folder = folderOf();
  return {
    script: paths.asset(`${folder}/uPlot.iife.min.js`),
    styles: paths.asset(`${folder}/uPlot.min.css`),
  };
}

/** The chart library as it is installed, from our own origin. To be mounted on `/assets`, before the site's own files. */
export function chartAssets(): Router {
  const router = Router({ caseSensitive: true });
  const dist = path.join(path.dirname(require.resolve(PACKAGE)), "dist");
  router.use(`/${folderOf()}`, express.static(dist, { index: false, immutable: true, maxAge: "365d" }));
  return router;
}

function folderOf(): string {
  const { version } = require(PACKAGE);
  return `vendor/uplot-${version}`;
}
