import { LANGUAGES } from "../../src/words/i18n/languages.ts";
import { describePages, ON_DESKTOP } from "./page-quality.ts";

describePages(LANGUAGES.slice(0, 1), ON_DESKTOP);
