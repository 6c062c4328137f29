import { crc32, deflateRawSync, deflateSync } from "node:zlib";

/** The beginning of a PNG that says it has so many pixels; its data is that of one. */
export function pngOf(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const parts = [
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.alloc(64))),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...parts]);
}

/** A GIF of so many frames, each of one pixel. */
export function gifOf(frames: number): Buffer {
  const head = Buffer.from("GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\0", "latin1");
  const frame = Buffer.from("!\xf9\x04\0\x01\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0", "latin1");
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.from(";")]);
}

/** A file in an archive; `size` is the length that the archive declares. A name as bytes is not marked as UTF-8. */
interface Packed {
  readonly name: string | Buffer;
  readonly bytes: Buffer;
  readonly size?: number;
}

/** A ZIP archive of these files. */
export function zipOf(files: readonly Packed[]): Buffer {
  const bodies: Buffer[] = [];
  const directories: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const body = bodyOf(file);
    directories.push(directoryOf(body, file.name, offset));
    bodies.push(body);
    offset += body.length;
  }
  return archiveOf(Buffer.concat(bodies), Buffer.concat(directories), files.length);
}

/** An archive of one file's bytes under many names: 30 KB that unpack to 4 GB with 20 MB of zeros. */
export function overlappingZip(bytes: Buffer, names: readonly string[]): Buffer {
  const body = bodyOf({ name: names[0] ?? "", bytes });
  return archiveOf(body, Buffer.concat(names.map((name) => directoryOf(body, name, 0))), names.length);
}

/** An archive of so many empty files. */
export function zipOfEmptyFiles(count: number): Buffer {
  const body = bodyOf({ name: "0000000.png", bytes: Buffer.alloc(0) });
  const directory = directoryOf(body, "0000000.png", 0);
  const all = Buffer.alloc(directory.length * count, directory);
  for (let number = 0; number < count; number++)
    all.write(String(number).padStart(7, "0"), (number + 1) * directory.length - 11, "latin1");
  return archiveOf(body, all, count);
}

const HEAD = 30;

function bodyOf({ name, bytes, size = bytes.length }: Packed): Buffer {
  const packed = deflateRawSync(bytes);
  const head = Buffer.alloc(HEAD);
  head.write("PK\x03\x04", "latin1");
  head.writeUInt16LE(20, 4);
  // Names are UTF-8.
  head.writeUInt16LE(typeof name === "string" ? 0x800 : 0, 6);
  head.writeUInt16LE(8, 8);
  head.writeUInt32LE(crc32(bytes), 14);
  head.writeUInt32LE(packed.length, 18);
  head.writeUInt32LE(size, 22);
  head.writeUInt16LE(Buffer.byteLength(name), 26);
  return Buffer.concat([head, bytesOf(name), packed]);
}

/** The entry of a body in the archive's directory. */
function directoryOf(body: Buffer, name: string | Buffer, offset: number): Buffer {
  const shared = Buffer.from(body.subarray(4, HEAD));
  shared.writeUInt16LE(Buffer.byteLength(name), 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), shared, rest, bytesOf(name)]);
}

function bytesOf(name: string | Buffer): Buffer {
  return typeof name === "string" ? Buffer.from(name) : name;
}

function archiveOf(bodies: Buffer, directories: Buffer, count: number): Buffer {
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(directories.length, 12);
  end.writeUInt32LE(bodies.length, 16);
  const large = count < 0xffff ? [] : largeEnd(bodies.length, directories.length, count);
  return Buffer.concat([bodies, directories, ...large, end]);
}

/** What counts beyond 65,535 are written in (ZIP64). */
function largeEnd(offset: number, length: number, count: number): Buffer[] {
  const record = Buffer.alloc(56);
  record.write("PK\x06\x06", "latin1");
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(45, 12);
  record.writeUInt16LE(45, 14);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.write("PK\x06\x07", "latin1");
  locator.writeBigUInt64LE(BigInt(offset + length), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator];
}
