import { randomUUID } from "node:crypto";
import { type Request, type RequestHandler, Router } from "express";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage } from "../web/pages/page.ts";
import { type FieldErrors, readForm } from "../web/request/form.ts";
import { localeOf } from "../web/request/locale.ts";
import { admitFew } from "../web/server/admission.ts";
import { intlLocale, type Language } from "../words/i18n/languages.ts";
import type { Translate } from "../words/i18n/translate.ts";
import { type Paths, paths, withQuery } from "../words/urls.ts";
import { countriesIn } from "./countries.ts";
import { generateNicknames } from "./generate.ts";
import { nicknameLength } from "./legal.ts";
import { nicknameInput, toNicknameRequest, USUAL_MAX_LENGTH } from "./schemas.ts";

/** Keeps the names on the page the same until the form is sent, so that it can be cached. */
const EXAMPLE_SEED = "example";

const DEFAULTS = {
  country: "us",
  mode: "real",
  sex: "any",
  min_len: String(nicknameLength.min),
  count: "10",
};

const FIELDS = Object.keys(nicknameInput.shape) as (keyof typeof nicknameInput.shape)[];

/** Maximum name lengths of games and servers. https://open.mp/docs/scripting/functions/SetPlayerName */
const PRESETS = [
  [USUAL_MAX_LENGTH, "nicknames.preset.usual"],
  [22, "nicknames.preset.some"],
  [nicknameLength.max, "nicknames.preset.most"],
] as const;

/** `/nicknames`: the generator with all of its parameters. */
export function nicknamePages(_context: BaseContext): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.nicknames(), admitFew()(showNicknames));
  return router;
}

const showNicknames: RequestHandler = async (req, res) => {
  const { t, language, paths: local } = localeOf(req);
  const { query } = req;
  const asked = FIELDS.some((name) => query[name] !== undefined);
  const { nicknames, errors } = generate(req, asked);
  const typed = typedValues(req);
  const head = {
    title: t("nicknames.title"),
    description: t("nicknames.description"),
    scripts: ["nicknames/nicknames"],
    styles: ["nicknames/nicknames"],
    noindex: asked,
    ...(!asked && { dependsOn: [] }),
    ...(errors && { status: 400 }),
  };
  await renderPage(req, res, "nicknames/generator", head, {
    asked,
    nicknames,
    errors: toSentences(t, errors ?? {}),
    typed,
    isDetailed: isDetailed(typed),
    // A browser only scrolls to the fragment of an address that it is at, so each press needs a new address.
    nextSeed: asked ? randomUUID() : undefined,
    labels: Object.fromEntries(FIELDS.map((field) => [field, t(`nicknames.${field}`)])),
    choices: choicesIn(t, language),
    presets: presetsFor(t, local, typed),
    bounds: nicknameLength,
    longest: Number(typed.max_len) || Math.max(USUAL_MAX_LENGTH, Number(typed.min_len) || 0),
  });
};

function generate(req: Request, asked: boolean): { nicknames: string[]; errors?: FieldErrors } {
  const { values, errors } = readForm(nicknameInput, req);
  if (errors) return { nicknames: [], errors };
  const request = toNicknameRequest(values);
  return { nicknames: generateNicknames(asked ? request : { ...request, seed: EXAMPLE_SEED }) };
}

function toSentences(t: Translate, errors: FieldErrors): FieldErrors {
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const message = errors[field];
      return message === undefined
        ? []
        : [[field, t("input.sentence", { label: t(`nicknames.${field}`), message })]];
    }),
  );
}

/** Values of the select boxes with their labels. */
function choicesIn(t: Translate, language: Language): Record<string, [string, string][]> {
  return {
    country: countriesIn(language, intlLocale(language)),
    mode: [
      ["real", t("nicknames.modes.real")],
      ["mixed", t("nicknames.modes.mixed")],
      ["invented", t("nicknames.modes.invented")],
    ],
    sex: [
      ["any", t("nicknames.sexes.any")],
      ["male", t("nicknames.sexes.male")],
      ["female", t("nicknames.sexes.female")],
    ],
  };
}

/** Links to the same form with another maximum length. */
function presetsFor(t: Translate, local: Paths, typed: Record<string, string>) {
  return PRESETS.map(([length, key]) => ({
    length,
    text: t(key),
    href: `${withQuery(local.nicknames(), { ...typed, max_len: length })}#results`,
    isChosen: Number(typed.max_len || USUAL_MAX_LENGTH) === length,
  }));
}

/** Whether any option but the country is set: the options folded on a phone are then open. */
function isDetailed(typed: Record<string, string>): boolean {
  const defaults: Record<string, string> = { ...DEFAULTS, max_len: String(USUAL_MAX_LENGTH) };
  const folded = FIELDS.filter((name) => name !== "country" && name !== "seed");
  return folded.some((name) => (typed[name] ?? defaults[name]) !== defaults[name]);
}

/** The values to show in the form: as typed, or the defaults. */
function typedValues({ query }: Request): Record<string, string> {
  const typed = FIELDS.flatMap((name) => {
    const value = [query[name]].flat().at(-1);
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  const values: Record<string, string> = { ...DEFAULTS, ...Object.fromEntries(typed) };
  return { ...values, country: values.country?.toLowerCase() ?? DEFAULTS.country };
}
