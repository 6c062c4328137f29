/**
 * Makes the search form of a page a combobox that answers while somebody types. The form keeps working by itself when
 * this does not.
 */

import { makeSearchBox } from "./search-box.ts";
import { listenForKeys } from "./search-keys.ts";
import { rememberOpened } from "./search-recent.ts";

const form = document.querySelector<HTMLFormElement>("form[data-suggest]");
if (form) {
  makeSearchBox(form);
  listenForKeys(form.querySelector("input[name=q]") as HTMLInputElement);
}
rememberOpened();
