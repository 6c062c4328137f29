import type { Socket } from "node:net";
import { type Core, protocols, type Reader } from "gamedig";
import { Miss } from "../adapter.ts";
import { GamedigQuery } from "./gamedig-query.ts";

/** Above the largest answer over TCP, a modded Minecraft's status with its icon. */
const MAX_TCP_BYTES = 512 * 1024;

/**
 * Bounds what gamedig leaves unbounded. Patches the class that all protocols extend, because some create further
 * protocol objects (beammp its master list, minecraft three more). Each has the options of the query, and in them the
 * GamedigQuery that it belongs to.
 *
 * - `runOnce` ends with its query, which watches what is read.
 * - `request` (got, without a size limit) becomes a bounded download.
 * - `tcpSend` gets a limit for what a peer sends.
 * - `reader` would return zeros past the end of an answer, and loop as often as a peer says; reading on is an error.
 *
 * Call it once, before the first query.
 */
export function boundGamedig(): void {
  const core = coreOf();
  const { runOnce, tcpSend, reader } = core;
  core.runOnce = function () {
    const query = queryOf(this);
    const run = this.run.bind(this);
    this.run = (state) => {
      query.watch(this, state);
      return run(state);
    };
    return Promise.race([runOnce.call(this), query.over]);
  };
  core.request = function (params) {
    return queryOf(this).request(params);
  };
  core.tcpSend = function <T>(socket: Socket, buffer: Buffer | string, onData: (received: Buffer) => T) {
    const bounded = (received: Buffer) => {
      if (received.length > MAX_TCP_BYTES) throw new Miss(`the answer is larger than ${MAX_TCP_BYTES} bytes`);
      return onData(received);
    };
    return tcpSend.call(this, socket, buffer, bounded) as Promise<T>;
  };
  core.reader = function (buffer) {
    return strict(reader.call(this, buffer), (why) => {
      if (this.options.query) queryOf(this).drop(this, why);
    });
  };
}

function coreOf(): Core {
  const core: unknown = protocols.samp && Object.getPrototypeOf(protocols.samp.prototype);
  if (!core) throw new Error("gamedig has no protocol samp any more");
  return core as Core;
}

function queryOf(core: Core): GamedigQuery {
  if (core.options.query instanceof GamedigQuery) return core.options.query;
  throw new Error("a protocol of gamedig runs outside of a GamedigQuery");
}

/** A reader that stops at the end; one missing byte there reads as 0: a Source server may omit its extra data flag. */
function strict(reader: Reader, onMalformed: (why: string) => void): Reader {
  const { uint, int } = reader;
  const need = (bytes: number) => {
    const left = reader.remaining();
    if (bytes <= left || (bytes === 1 && left === 0)) return;
    const why = "an answer ends before it should";
    onMalformed(why);
    throw new Miss(why);
  };
  reader.uint = (bytes) => {
    need(bytes);
    return uint.call(reader, bytes);
  };
  reader.int = (bytes) => {
    need(bytes);
    return int.call(reader, bytes);
  };
  reader.pascalString = (bytesForSize, adjustment = 0) => {
    const length = reader.uint(bytesForSize) + adjustment;
    need(Math.max(length, 0));
    return reader.string(length);
  };
  return reader;
}
