/** Keeps a server's current figures true while its page is open. Its history is that of when the page was made. */
import { followServers, swapParts } from "./servers-live.ts";

if (document.querySelector("[data-server-live]")) followServers(swapParts);
