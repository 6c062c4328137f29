import type { TFunction } from "i18next";
import type en from "./en.json";

declare module "i18next" {
  /** Keys are checked where they are used in TypeScript; test/words/i18n.test.ts looks at templates and scripts too. */
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** Translates a text: `t("mail.digest.subject", { count: 5 })`. A type only, as browsers import it too. */
export type Translate = TFunction;

/** The keys that scripts may use: those of the block `script`, plural forms without their ending. */
type ScriptKey = KeysOf<Pick<typeof en, "script">>;

type KeysOf<Group> = {
  [Key in keyof Group & string]: Group[Key] extends string
    ? WithoutForm<Key>
    : `${Key}.${KeysOf<Group[Key]>}`;
}[keyof Group & string];

type WithoutForm<Key extends string> =
  Key extends `${infer Base}_${"zero" | "one" | "two" | "few" | "many" | "other"}` ? Base : Key;

/** Translates a text of the block `script`, on the server or in the browser. */
export type Say = (key: ScriptKey, values?: Record<string, string | number>) => string;
