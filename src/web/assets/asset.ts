import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { LANGUAGES } from "../../words/i18n/languages.ts";

/**
 * Level 9 takes fifteen times as long for 0.3 % fewer bytes, because the kernel clears 32 MB for every file and V8 collects
 * garbage for it. Level 10 saves 3 % for a tenth of the first start. The default window would take as much memory, too.
 */
const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 18 };

const LATIN = "files/onest-latin-wght-normal.woff2";
const CYRILLIC = "files/onest-cyrillic-wght-normal.woff2";

/** The fonts that every page needs: figures and names are Latin, and the switch names each language in its letters. */
export const PAGE_FONTS: readonly string[] = LANGUAGES.some(isCyrillic) ? [LATIN, CYRILLIC] : [LATIN];

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** The body, compressed in advance. */
  readonly compressed?: { readonly br: Buffer; readonly gzip: Buffer };
}

/** The result of building public/. */
export interface Built {
  /** The files by their addresses below `/assets`. */
  readonly files: Map<string, Asset>;
  /** Address below `/assets` of each file of public/. */
  readonly names: Map<string, string>;
  readonly imports: Map<string, string[]>;
  /** Files beside public/ that scripts import. */
  readonly sources: readonly string[];
}

/** The file with its compressed forms, if it has any. */
export async function compressFully(asset: Asset): Promise<Asset> {
  if (!isCompressible(asset)) return asset;
  const { body } = asset;
  const params = { ...BROTLI, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(body, { params }),
    promisify(gzip)(body, { level: 9 }),
  ]);
  return { ...asset, compressed: { br, gzip: gz } };
}

/** False for pictures and fonts, which are already compressed. */
export function isCompressible({ type }: Asset): boolean {
  return /^text\/|svg|json/.test(type);
}

function isCyrillic(language: string): boolean {
  return new Intl.Locale(language).maximize().script === "Cyrl";
}
