/**
 * Makes the search form of a page a combobox that answers while somebody types. The form keeps working by itself when
 * this does not.
 */

import { makeSearchBox } from "./search-box.js";
import { listenForKeys } from "./search-keys.js";
import { rememberOpened } from "./search-recent.js";

const form = document.querySelector("form[data-suggest]");
if (form) {
  makeSearchBox(form);
  listenForKeys(form.querySelector("input[name=q]"));
}
rememberOpened();
