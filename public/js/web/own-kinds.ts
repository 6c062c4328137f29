// The operator's own kinds, which the build puts into scripts (src/web/assets/scripts.ts), and what the page says is
// switched off.

import { setHiddenSections } from "../../../src/words/kinds/hidden-sections.ts";
import { setOwnKinds } from "../../../src/words/kinds/own-kinds.ts";
import type { OwnKindTraits } from "../../../src/words/kinds/traits.ts";

declare const OWN_KINDS: readonly OwnKindTraits[];

setOwnKinds(OWN_KINDS);
setHiddenSections(document.documentElement.dataset.hidden?.split(" ") ?? []);
