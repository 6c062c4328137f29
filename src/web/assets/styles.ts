import path from "node:path";
import { bundleAsync, type Targets } from "lightningcss";

/** Browsers of the last five years. Newer syntax (`light-dark()`, nesting) is rewritten for them. */
const TARGETS: Targets = { chrome: 87 << 16, firefox: 78 << 16, safari: 14 << 16, ios_saf: 14 << 16 };

/** Bundles and minifies style sheets. `fileUrl` returns the address of a file in a sheet, such as a font. */
export async function buildStyles(files: string[], folder: string, fileUrl: (file: string) => string) {
  return Promise.all(
    files.map(async (file) => ({ file, body: await bundleStyle(path.join(folder, file), fileUrl) })),
  );
}

async function bundleStyle(filename: string, fileUrl: (file: string) => string): Promise<Buffer> {
  const { code, dependencies } = await bundleAsync({
    filename,
    minify: true,
    targets: TARGETS,
    analyzeDependencies: { preserveImports: true },
  });
  let css = Buffer.from(code).toString();
  for (const dependency of dependencies || []) {
    if (dependency.type !== "url") continue;
    const target = path.resolve(path.dirname(dependency.loc.filePath), dependency.url);
    css = css.replaceAll(dependency.placeholder, isFile(dependency.url) ? fileUrl(target) : dependency.url);
  }
  return Buffer.from(css);
}

function isFile(url: string): boolean {
  return !/^(data:|https?:|#)/.test(url);
}
