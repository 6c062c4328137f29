import { directionOf } from "../../words/i18n/languages.ts";
import type { Assets } from "../assets/build.ts";
import type { Locale } from "../request/locale.ts";
import type { SiteLook } from "./look.ts";
import { token } from "./tokens.ts";

/** The manifest of the site as an installable app, in one language. Source: https://www.w3.org/TR/appmanifest/ */
export function buildManifest(
  name: string,
  look: SiteLook,
  assets: Assets,
  { language, paths, t }: Pick<Locale, "language" | "paths" | "t">,
) {
  return {
    // The same app in every language.
    id: "/",
    name,
    short_name: name,
    description: t("layout.description", { site: name }),
    lang: language,
    dir: directionOf(language),
    start_url: paths.home(),
    scope: "/",
    display: "standalone",
    background_color: token("paper").light,
    theme_color: look.themeColours.light,
    icons: look.icon ? [look.icon] : ownIcons(assets),
    shortcuts: [
      { name: t("site.shortcut.search"), url: paths.search() },
      { name: t("site.shortcut.servers"), url: paths.servers() },
    ],
  };
}

function ownIcons(assets: Assets) {
  const icon = (file: string, size: number) => ({
    src: assets.url(`img/icons/${file}`),
    type: "image/png",
    sizes: `${size}x${size}`,
  });
  return [
    icon("icon-192.png", 192),
    icon("icon-512.png", 512),
    { ...icon("maskable-512.png", 512), purpose: "maskable" },
  ];
}
