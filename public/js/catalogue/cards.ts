// Cards beside the links of our own pages.

import { showCards } from "./hover-cards.ts";

const holder = document.createElement("div");
holder.className = "hover-card";
holder.ariaHidden = "true";
holder.hidden = true;
document.body.append(holder);
showCards({ origin: location.origin, holder });
