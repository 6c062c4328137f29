import type { TFunction } from "i18next";
import type en from "./en.json";

declare module "i18next" {
  /** Keys are checked where they are used in TypeScript; test/i18n.test.ts looks at templates and scripts too. */
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** Puts a text of one language together: `t("mail.digest.subject", { count: 5 })`. No code: browsers use it too. */
export type Translate = TFunction;
