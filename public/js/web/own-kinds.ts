// The operator's own kinds and what is switched off, which the build puts into scripts: src/web/assets/scripts.ts.

import { setHiddenSections } from "../../../src/words/kinds/hidden-sections.ts";
import { setOwnKinds } from "../../../src/words/kinds/own-kinds.ts";
import type { OwnKindTraits } from "../../../src/words/kinds/traits.ts";

declare const OWN_KINDS: readonly OwnKindTraits[];
declare const HIDDEN_SECTIONS: readonly string[];

setOwnKinds(OWN_KINDS);
setHiddenSections(HIDDEN_SECTIONS);
