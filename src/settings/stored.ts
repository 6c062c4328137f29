import type { z } from "zod";
import { type Config, siteSettings } from "./config.ts";
import { mailSettings } from "./mail.ts";
import type { OpenedRange } from "./values.ts";

const { SITE_NAME, SITE_ACCENT, SITE_LOGO, SITE_LINKS, HOME_TEXT, ANNOUNCEMENT } = siteSettings;
const { ANONYMOUS_REPORTS, SECTIONS_OFF } = siteSettings;

/** The settings that operators can save in the browser, unless the environment or `.env` has them. */
export const STORABLE = {
  ...{
    SITE_NAME,
    SITE_ACCENT,
    SITE_LOGO,
    SITE_LINKS,
    HOME_TEXT,
    ANNOUNCEMENT,
    ANONYMOUS_REPORTS,
    SECTIONS_OFF,
  },
  ...mailSettings,
};

export type StorableName = keyof typeof STORABLE;

export const STORABLE_NAMES = Object.keys(STORABLE) as StorableName[];

/** Saved settings, in the spelling of the environment. */
export type StoredSettings = Partial<Record<StorableName, string>>;

/** The part of the settings that stored ones replace, and what that depends on. */
export type StorableConfig = Pick<
  Config,
  "siteName" | "look" | "homeText" | "announcements" | "anonymousReports" | "sectionsOff"
> &
  Pick<Config, "mail" | "mailFrom" | "privateAddresses" | "given">;

/** Mail servers on this machine are common; other ports of it could be anything. */
const MAIL_PORTS = [25, 465, 587, 1025, 2525];
const LOOPBACK: readonly OpenedRange[] = MAIL_PORTS.flatMap((port) =>
  ["127.0.0.0/8", "::1/128"].map((range) => ({ range, port })),
);

/** Settings with the stored ones for those that the environment does not have. A stored value that is wrong is left out. */
export function withStored<C extends StorableConfig>(config: C, stored: StoredSettings): C {
  const values: Partial<{ [Name in StorableName]: z.output<(typeof STORABLE)[Name]> }> = Object.fromEntries(
    STORABLE_NAMES.filter((name) => config.given[name] === undefined && stored[name] !== undefined).map(
      (name) => [name, STORABLE[name].safeParse(stored[name]).data],
    ),
  );
  const { look, privateAddresses } = config;
  const { SITE_ACCENT: accent, SITE_LOGO: logo, SITE_LINKS: links, SMTP_URL: url } = values;
  return {
    ...config,
    siteName: values.SITE_NAME ?? config.siteName,
    look: { ...look, accent: accent ?? look.accent, logo: logo ?? look.logo, links: links ?? look.links },
    homeText: values.HOME_TEXT ?? config.homeText,
    announcements: values.ANNOUNCEMENT ?? config.announcements,
    anonymousReports: values.ANONYMOUS_REPORTS ?? config.anonymousReports,
    sectionsOff: values.SECTIONS_OFF ?? config.sectionsOff,
    mail: url ? { kind: "smtp", url, opened: [...privateAddresses, ...LOOPBACK] } : config.mail,
    mailFrom: values.MAIL_FROM ?? config.mailFrom,
  };
}
