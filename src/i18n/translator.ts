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

/** What scripts may say: the keys of the block `script`, those of plural forms without their ending. */
export type ScriptKey = KeysOf<Pick<typeof en, "script">>;

type KeysOf<Group> = {
  [Key in keyof Group & string]: Group[Key] extends string
    ? WithoutForm<Key>
    : `${Key}.${KeysOf<Group[Key]>}`;
}[keyof Group & string];

type WithoutForm<Key extends string> =
  Key extends `${infer Base}_${"zero" | "one" | "two" | "few" | "many" | "other"}` ? Base : Key;

/** Says a text of the block `script`: what a server's translator does, and a browser's, which knows no others. */
export type Say = (key: ScriptKey, values?: Record<string, string | number>) => string;
