import { LANGUAGES } from "../../src/i18n/languages.ts";
import { describePages } from "./page-quality.ts";

describePages(LANGUAGES.slice(0, 1));
