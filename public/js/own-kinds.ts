// The operator's own kinds, which the build puts into scripts: src/assets/scripts.ts.

import { setOwnKinds } from "../../src/kinds/own-kinds.ts";
import type { OwnKindTraits } from "../../src/kinds/traits.ts";

declare const OWN_KINDS: readonly OwnKindTraits[];

setOwnKinds(OWN_KINDS);
