import type * as busboy from "@fastify/busboy";
import type { BusboyInstance } from "@fastify/busboy";
import type { Request, RequestHandler } from "express";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { badInput, HttpError } from "../pages/errors.ts";
import { onceClosed, Slots, whenClosed } from "../server/admission.ts";
import { recheckAfter } from "./input.ts";
import type { Upload } from "./request.ts";

const loadBusboy = lazyPackage<typeof busboy>("@fastify/busboy");

const MULTIPART = "multipart/form-data";
/**
 * Reads and discards bytes beyond the limit, up to this many times as much, because a browser shows no response before it
 * has sent everything.
 */
const DROPPED_TIMES = 4;
const LIMITS = { files: 1, fields: 4, parts: 5, fieldSize: 1_000, fieldNameSize: 100, headerPairs: 20 };
const READ_MS = 120_000;
const LONGEST_NAME = 120;

/** Limits concurrent uploads in each process, because their bodies are in memory. */
const FEW = { running: 2, waiting: 6, waitMs: 20_000, pauseMs: 0 };

/**
 * Reads a multipart form with one file into `req.upload` and its fields into `req.body`, in memory, a few at once (see `recheckAfter`).
 * @throws HttpError 415 for any other body, 413 for one that is too large, 400 for a malformed one, 503 under load
 */
export function readUpload(bytesAtMost: number): RequestHandler {
  const slots = new Slots(FEW);
  return recheckAfter(async (req, res, next) => {
    if (!req.is(MULTIPART))
      throw new HttpError("unsupportedMediaType", lazyText("input.multipart", { type: MULTIPART }));
    if (Number(req.headers["content-length"]) > DROPPED_TIMES * bytesAtMost) throw tooLarge(bytesAtMost);
    const release = await slots.take(whenClosed(res));
    if (!release) return;
    // The file is in memory until the response is sent.
    onceClosed(res, release);
    try {
      req.body = {};
      req.upload = await parse(req, bytesAtMost);
    } catch (error) {
      // The rest of the body is useless, and would be parsed as the next request.
      if (!req.complete) res.set("Connection", "close");
      throw error;
    }
    next();
  });
}

function parse(req: Request, bytesAtMost: number): Promise<Upload | undefined> {
  return new Promise((resolve, reject) => {
    const parser = openParser(req, bytesAtMost);
    let upload: Upload | undefined;
    let read = 0;
    const settle = (end: () => void) => {
      clearTimeout(timer);
      req.unpipe(parser);
      req.off("data", count).off("aborted", cut).off("error", cut);
      req.resume();
      end();
    };
    const fail = (error: HttpError) => settle(() => reject(error));
    const cut = () => fail(cutShort());
    const count = (chunk: Buffer) => {
      read += chunk.length;
      if (read > DROPPED_TIMES * bytesAtMost) fail(tooLarge(bytesAtMost));
    };
    const timer = setTimeout(
      () => fail(badInput([{ param: "body", message: lazyText("input.too_slow") }])),
      READ_MS,
    );
    parser.on("field", (field, value) => {
      req.body[field] = value;
    });
    parser.on("file", (_field, stream, fileName) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", cut);
      stream.on("end", () => {
        // A browser sends a nameless, empty file if none was chosen.
        if (!fileName) return;
        const isTooLarge = stream.truncated;
        upload = {
          name: plainName(fileName),
          bytes: isTooLarge ? NOTHING : Buffer.concat(chunks),
          isTooLarge,
        };
      });
    });
    for (const limit of ["filesLimit", "fieldsLimit", "partsLimit"] as const)
      parser.on(limit, () => fail(badInput([{ param: "body", message: lazyText("input.many_parts") }])));
    parser.on("error", cut);
    parser.on("finish", () => settle(() => resolve(upload)));
    req.on("data", count).on("aborted", cut).on("error", cut);
    req.pipe(parser);
  });
}

const NOTHING = Buffer.alloc(0);

function openParser(req: Request, bytesAtMost: number): BusboyInstance {
  try {
    const headers = { ...req.headers, "content-type": req.headers["content-type"] ?? "" };
    const { Busboy } = loadBusboy();
    return new Busboy({ headers, limits: { ...LIMITS, fileSize: bytesAtMost + 1 } });
  } catch {
    throw cutShort();
  }
}

function plainName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  const plain = [...last.replace(/[\p{Cc}\p{Cf}]/gu, "")];
  // Keeps the extension, which shows the type of the file.
  return plain.length <= LONGEST_NAME ? plain.join("") : `…${plain.slice(1 - LONGEST_NAME).join("")}`;
}

function tooLarge(bytesAtMost: number): HttpError {
  return new HttpError(
    "payloadTooLarge",
    lazyText("input.too_large", { megabytes: bytesAtMost / 1024 / 1024 }),
  );
}

function cutShort(): HttpError {
  return badInput([{ param: "body", message: lazyText("input.cut_short") }]);
}
