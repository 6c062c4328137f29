/** Updates a server's current figures while its page is open; its history stays as loaded. */
import { followServers, swapParts } from "./servers-live.ts";

if (document.querySelector("[data-server-live]")) followServers(swapParts);
