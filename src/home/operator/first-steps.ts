import { UNNAMED } from "../../settings/config.ts";
import type { AppConfig } from "../../web/pages/context.ts";
import { isLoopback } from "../../web/server/client-address.ts";

/** The steps that make a site the operator's own, in order. */
export const STEPS = [
  "demo",
  "records",
  "words",
  "name",
  "look",
  "map",
  "address",
  "mail",
  "backup",
] as const;

type StepName = (typeof STEPS)[number];

export interface Step {
  readonly name: StepName;
  readonly isDone: boolean;
  /** The command or settings that do it, for the <code/> of its sentence; undefined: it is done on the site. */
  readonly code: string | undefined;
  /** Done by settings, which count from the next start on. */
  readonly isSetting: boolean;
  /** The operator says when it is done. */
  readonly isMarkable: boolean;
}

const COMMANDS: Partial<Record<StepName, string>> = {
  demo: "npm run -s almanac -- demo remove",
  records: "npm run -s almanac -- import items items.json --keep-rest",
};

const SETTINGS: Partial<Record<StepName, string>> = {
  name: "SITE_NAME",
  look: "SITE_ACCENT, SITE_LOGO",
  map: "MAP_IMAGE, MAP_BOUNDS",
  address: "BASE_URL",
  mail: "SMTP_URL",
  backup: "BACKUP_DIR",
};

/** Where commands and the site read settings from, in the working directory. */
export const SETTINGS_FILE = ".env";

/** Steps that the site cannot see: the operator says that they are done. */
export const MARKABLE_STEPS = ["backup"] as const satisfies readonly StepName[];

/** What the settings do not tell of a site. */
export interface SiteState {
  /** Records that are not the demo's. */
  readonly hasRecords: boolean;
  readonly hasDemo: boolean;
  /** Records of theirs that belong on a map. */
  readonly hasPlaces: boolean;
  readonly hasVocabulary: boolean;
  /** The site has written one by itself, or an operator said so. */
  readonly hasBackup: boolean;
}

/** The steps to a site of one's own; omits those that do not apply. */
export function firstSteps(config: AppConfig, state: SiteState): Step[] {
  const { look } = config;
  const done: Record<StepName, boolean> = {
    records: state.hasRecords,
    // Listed only while it is there.
    demo: false,
    words: state.hasVocabulary,
    name: config.siteName !== UNNAMED,
    look: look.accent !== undefined || look.logo !== undefined,
    map: look.mapImage !== undefined,
    address: !isOfThisMachine(config.baseUrl),
    mail: config.mail.kind === "smtp",
    backup: state.hasBackup,
  };
  const isSkipped = (name: StepName) =>
    (name === "map" && !state.hasPlaces) || (name === "demo" && !state.hasDemo);
  return STEPS.filter((name) => !isSkipped(name)).map((name) => ({
    name,
    isDone: done[name],
    code: COMMANDS[name] ?? SETTINGS[name],
    isSetting: name in SETTINGS,
    isMarkable: MARKABLE_STEPS.some((step) => step === name),
  }));
}

function isOfThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopback(hostname) || hostname === "0.0.0.0";
}
