export type AssetEncoding = "br" | "gzip";

/** A file as it is served. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** The same, compressed in advance. */
  readonly compressed?: Readonly<Record<AssetEncoding, Buffer>>;
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
