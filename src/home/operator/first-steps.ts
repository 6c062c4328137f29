import { UNNAMED } from "../../settings/config.ts";
import type { AppConfig } from "../../web/pages/context.ts";
import { isLoopback } from "../../words/safe-urls.ts";

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
  /** The settings for it, for the <code/> of its sentence; undefined if it is done on the site. */
  readonly code: string | undefined;
  /** Whether settings do it, which take effect at the next start. */
  readonly isSetting: boolean;
  readonly hasButton: boolean;
}

const SETTINGS: Partial<Record<StepName, string>> = {
  map: "MAP_IMAGE, MAP_BOUNDS",
  address: "BASE_URL",
  backup: "BACKUP_DIR",
};

/** The file that commands and the site read settings from, in the working directory. */
export const SETTINGS_FILE = ".env";

/** Steps with a button: one that the site does, and one that it cannot detect, so the operator marks it as done. */
export const BUTTON_STEPS = ["demo", "backup"] as const satisfies readonly StepName[];

/** The state of a site that is not in its settings. */
export interface SiteState {
  /** Whether there are records that are not the demo's. */
  readonly hasRecords: boolean;
  readonly hasDemo: boolean;
  /** Whether some of these belong on a map. */
  readonly hasPlaces: boolean;
  readonly hasVocabulary: boolean;
  /** Whether the site has written one by itself, or an operator said so. */
  readonly hasBackup: boolean;
}

/** The steps to make a site the operator's own; omits those that do not apply. */
export function firstSteps(config: AppConfig, state: SiteState): Step[] {
  const { look } = config;
  const done: Record<StepName, boolean> = {
    records: state.hasRecords,
    // Listed only while the demo exists.
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
    code: SETTINGS[name],
    isSetting: name in SETTINGS,
    hasButton: BUTTON_STEPS.some((step) => step === name),
  }));
}

function isOfThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopback(hostname) || hostname === "0.0.0.0";
}
