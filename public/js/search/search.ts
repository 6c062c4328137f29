/**
 * Makes the search form of a page a combobox that answers while somebody types. The form keeps working by itself when
 * this does not.
 */

import { makeSearchBox } from "./box.ts";
import { listenForKeys } from "./keys.ts";
import { rememberOpened } from "./recent.ts";

const form = document.querySelector<HTMLFormElement>("form[data-suggest]");
if (form) {
  makeSearchBox(form);
  listenForKeys(form.querySelector("input[name=q]") as HTMLInputElement);
}
rememberOpened();
