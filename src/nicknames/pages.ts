import { type Request, type RequestHandler, Router } from "express";
import type { AppContext } from "../http/context.ts";
import { HttpError, type ParameterError } from "../http/errors.ts";
import { parseInput } from "../http/input.ts";
import { renderPage } from "../http/page.ts";
import { paths } from "../urls.ts";
import { countries } from "./countries.ts";
import { generateNicknames } from "./generate.ts";
import { nicknameInput, toNicknameRequest } from "./schemas.ts";

/** Makes the names that the page shows before anybody asked the same ones each time, so that it can be cached. */
const EXAMPLE_SEED = "example";

const PARAMETERS = Object.keys(nicknameInput.shape);

/** Values of the select boxes with their words. */
const CHOICES = {
  country: countries.map(({ code, name }) => [code, name.en]),
  mode: [
    ["real", "Real: both names from the country"],
    ["mixed", "Mixed: last name from elsewhere"],
    ["invented", "Invented: new, in the country's sound"],
  ],
  sex: [
    ["any", "Any"],
    ["male", "Male"],
    ["female", "Female"],
  ],
};

/** `/nicknames`: the generator with all of its parameters. */
export function nicknamePages(_context: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.nicknames(), showNicknames);
  return router;
}

const showNicknames: RequestHandler = async (req, res) => {
  const asked = PARAMETERS.some((name) => req.query[name] !== undefined);
  const { nicknames, errors } = generate(req, asked);
  const head = {
    title: "Nickname generator",
    description: "First_Last nicknames for role play in SA-MP and open.mp, with names of many countries.",
    scripts: ["nicknames"],
    noindex: asked,
    ...(errors.length > 0 && { status: 400 }),
  };
  await renderPage(req, res, "nicknames/generator", head, {
    asked,
    nicknames,
    errors: Object.fromEntries(errors.map(({ param, message }) => [param, message])),
    typed: typedValues(req),
    choices: CHOICES,
  });
};

function generate(req: Request, asked: boolean): { nicknames: string[]; errors: ParameterError[] } {
  try {
    const request = toNicknameRequest(parseInput(nicknameInput, req));
    return { ...generateNicknames(asked ? request : { ...request, seed: EXAMPLE_SEED }), errors: [] };
  } catch (error) {
    if (error instanceof HttpError && error.errors) return { nicknames: [], errors: error.errors };
    throw error;
  }
}

/** What the form shows again: everything as it was typed, and the defaults elsewhere. */
function typedValues(req: Request): Record<string, string> {
  const defaults = { country: "us", mode: "real", sex: "any", min_len: "3", count: "10" };
  const typed = PARAMETERS.flatMap((name) => {
    const value = [req.query[name]].flat().at(-1);
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  const values: Record<string, string> = { ...defaults, ...Object.fromEntries(typed) };
  return { ...values, country: values.country?.toLowerCase() ?? defaults.country };
}
