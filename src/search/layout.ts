/** The search box reads what was typed in the same way, to mark it in the names that were found. */
export { otherLayouts } from "../../public/js/search-layout.js";
