import { LANGUAGES } from "../../src/words/i18n/languages.ts";
import { describePages, ON_PHONE } from "./page-quality.ts";

// The language that comes first has a file of its own: two workers share what is by far the longest of these tests.
describePages(LANGUAGES.slice(1), ON_PHONE);
